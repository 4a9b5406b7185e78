// The run as it was after an event: rebuilt by the server from the events alone, and its tasks from the same events.
import { useCallback, useMemo, useRef } from "react";
import { useConnection } from "../../api/context";
import type { Problem } from "../../api/problem";
import type { Run } from "../../api/types";
import { useLoaded } from "../../live/use_loaded";
import { fieldText } from "../../text/json_text";
import { nodesAfter, type LoggedEvent, type RunAt } from "./run_events";

export interface Past {
  upTo: number;
  at: string; // when that event was
  tasks: RunAt;
  run: Run | null; // null: the server has not answered yet
  text: string; // of the run, as it came
  problem: Problem | null;
}

// null: `upTo` is null, and the run is shown as it is.
export function usePast(id: string, events: LoggedEvent[], upTo: number | null): Past | null {
  const { client, ns } = useConnection();
  const load = useCallback(
    async (signal: AbortSignal) =>
      upTo === null ? null : client.callForText("GET /v1/{ns}/runs/{id}/replay", { path: { ns, id }, query: { up_to: upTo }, signal }),
    [client, ns, id, upTo],
  );
  const replay = useLoaded(load);
  // While the slider moves, what was shown last stays until the next is there: the page would flicker otherwise.
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
