// The run as it was after an event: the server rebuilds the run from its events, and this page derives the tasks from
// the same events.
import { useCallback, useMemo, useRef } from "react";
import { useConnection } from "../../api/context";
import type { Problem } from "../../api/problem";
import type { Run } from "../../api/calls";
import { useLoaded } from "../../live/use_loaded";
import { fieldText } from "../../text/json_text";
import { nodesAfter, type LoggedEvent, type RunAt } from "./run_events";

export interface Past {
  upTo: number;
  at: string; // the time of the event
  tasks: RunAt;
  run: Run | null; // null: the server has not answered yet
  text: string; // the unparsed text of the run
  problem: Problem | null;
}

// Returns null if `upTo` is null and the run is shown in its current state.
export function usePast(id: string, events: LoggedEvent[], upTo: number | null): Past | null {
  const { client, ns } = useConnection();
  const load = useCallback(
    async (signal: AbortSignal) =>
      upTo === null
        ? null
        : client.callForText("GET /v1/{ns}/runs/{id}/replay", { path: { ns, id }, query: { up_to: upTo }, signal }),
    [client, ns, id, upTo],
  );
  const replay = useLoaded(load);
  // While the slider moves, the last shown state stays until the next one is loaded. Otherwise the page would flicker.
  const last = useRef(replay.value);
  if (replay.value || upTo === null) last.current = replay.value;
  const shown = last.current;
  return useMemo(() => {
    if (upTo === null) return null;
    return {
      upTo,
      at: events[upTo - 1]?.at ?? "",
      tasks: nodesAfter(events, upTo),
      run: shown?.value.state ?? null,
      text: fieldText(shown?.text ?? "", "state") ?? "",
      problem: replay.problem,
    };
  }, [upTo, events, shown, replay.problem]);
}
