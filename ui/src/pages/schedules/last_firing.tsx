// When the last slot of a schedule came and what became of it: a schedule whose slots are skipped must not look well. The
// list of schedules does not say; it is asked for the rows in sight, and again when there is a newer slot.
import { useCallback, useEffect, useState } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Age } from "../../parts/basics";
import { StateMark } from "../../parts/state_mark";

const waitingMs = 3000; // a slot that waits is looked at again until it is decided

export function LastFiring({ name, at }: { name: string; at: string | null }) {
  const { client, ns } = useConnection();
  const [isWaiting, setWaiting] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (at === null) return null;
      const { items } = await client.call("GET /v1/{ns}/schedules/{id}/firings", { path: { ns, id: name }, query: { limit: 1 }, signal });
      return items[0] ?? null;
    },
    [client, ns, name, at],
  );
  const last = useLoaded(load, isWaiting ? waitingMs : 0).value;
  useEffect(() => setWaiting(last?.status === "waiting"), [last]);
  // That it fired is what one expects: only the rest is said in a word.
  return (
    <span className="last-firing" title={last?.reason ?? last?.status}>
      {last && last.status !== "fired" && <StateMark state={last.status} />} <Age at={at} />
    </span>
  );
}
