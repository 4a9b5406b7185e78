// The time and the outcome of a schedule's last slot: a schedule that skips its slots must not look healthy. The list
// of schedules lacks the outcome, so it is loaded for visible rows, and again after each new slot.
import { useCallback, useEffect, useState } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Age } from "../../parts/basics";
import { StateMark } from "../../parts/state_mark";

const waitingMs = 3000; // a waiting slot is polled until it is decided

interface Props {
  name: string;
  at: string | null; // the slot that fired last
  next: string | null; // changes with each slot, also with a skipped one
}

export function LastFiring({ name, at, next }: Props) {
  const { client, ns } = useConnection();
  const [isWaiting, setWaiting] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { items } = await client.call("GET /v1/{ns}/schedules/{id}/firings", {
        path: { ns, id: name },
        query: { limit: 1 },
        signal,
      });
      return items[0] ?? null;
    },
    [client, ns, name, at, next],
  );
  const last = useLoaded(load, isWaiting ? waitingMs : 0).value;
  useEffect(() => setWaiting(last?.status === "waiting"), [last]);
  // Firing is the normal outcome, so only other outcomes are shown.
  return (
    <span className="last-firing" title={last?.reason ?? last?.status}>
      {last && last.status !== "fired" && <StateMark state={last.status} />} <Age at={last?.fire_at ?? at} />
    </span>
  );
}
