// All events of a run: first the past ones, page by page, then new ones as they happen.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Client } from "../../api/client";
import { useConnection } from "../../api/context";
import { problemOf, type Problem } from "../../api/problem";
import type { RunEvent } from "../../api/calls";
import { useEvents, type Following } from "../../live/use_events";
import { entriesOf, fieldText } from "../../text/json_text";
import type { LoggedEvent } from "./run_events";

const drawEveryMs = 120; // batches a burst of events into one redraw

function logged(text: string): LoggedEvent {
  return { ...(JSON.parse(text) as RunEvent), payloadText: fieldText(text, "payload") ?? "null" };
}

async function pageAfter(
  client: Client,
  ns: string,
  id: string,
  after: number,
  signal: AbortSignal,
): Promise<LoggedEvent[]> {
  const { text } = await client.callForText("GET /v1/{ns}/runs/{id}/events", {
    path: { ns, id },
    query: { after, limit: 500 },
    signal,
  });
  return [...entriesOf(fieldText(text, "items") ?? "[]")].map(([, event]) => logged(event));
}

interface RunEvents {
  events: LoggedEvent[];
  following: Following;
  problem: Problem | null;
}

// Each run has its own page instance, so `id` never changes. `isClosed`: the run has ended, so there is no stream to
// follow.
export function useRunEvents(id: string, isClosed: boolean): RunEvents {
  const { client, ns } = useConnection();
  const [events, setEvents] = useState<LoggedEvent[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [hasPast, setHasPast] = useState(false);
  const all = useRef<LoggedEvent[]>([]);
  const timer = useRef(0);
  const draw = useCallback(() => {
    timer.current ||= window.setTimeout(() => {
      timer.current = 0;
      setEvents([...all.current]);
    }, drawEveryMs);
  }, []);
  const add = useCallback(
    (event: LoggedEvent) => {
      if (event.sequence > (all.current.at(-1)?.sequence ?? 0)) all.current.push(event);
      draw();
    },
    [draw],
  );

  // Also runs when the run ends or is resumed: loads the events that the stream missed, and then follows a new stream.
  useEffect(() => {
    const aborter = new AbortController();
    setHasPast(false);
    const load = async () => {
      try {
        for (;;) {
          const page = await pageAfter(client, ns, id, all.current.at(-1)?.sequence ?? 0, aborter.signal);
          page.forEach(add);
          if (page.length === 0) break;
        }
        setHasPast(true);
      } catch (error) {
        if (!aborter.signal.aborted) setProblem(problemOf(error));
      }
    };
    void load();
    return () => aborter.abort();
  }, [client, ns, id, isClosed, add]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  // The start of the stream is decided once; after that, the id of the last event counts.
  const input = useMemo(
    () => ({ path: { ns, id }, query: { after: all.current.at(-1)?.sequence ?? 0 } }),
    [ns, id, hasPast],
  );
  const { following } = useEvents({
    client,
    name: "GET /v1/{ns}/runs/{id}/events",
    input,
    onEvent: (event) => add(logged(event.data)),
    isWanted: hasPast && !isClosed,
  });
  return { events, following, problem };
}
