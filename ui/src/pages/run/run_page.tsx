// One run: its graph, timeline, log, input, output and actions. The slider goes back in time: the whole page then shows
// the state after that event.
import { useCallback, useEffect, useMemo, useState } from "react";
import { useConnection } from "../../api/context";
import type { DefinitionTask, RunState } from "../../api/calls";
import { graphOf, payloadOf } from "../../api/types";
import { useLoaded } from "../../live/use_loaded";
import { Labels, ProblemBox } from "../../parts/basics";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { Tabs } from "../../parts/tabs";
import { fieldText } from "../../text/json_text";
import { JsonView } from "../../parts/json_view";
import { EventLog } from "./event_log";
import { NodePanel } from "./node_panel";
import { RunActions } from "./run_actions";
import { RunFacts } from "./run_facts";
import type { LoggedEvent } from "./run_events";
import { RunGraphView } from "./run_graph_view";
import { TimeSlider } from "./time_slider";
import { Timeline } from "./timeline";
import { usePast } from "./use_past";
import { useRunEvents } from "./use_run_events";

const noTasks: DefinitionTask[] = []; // a constant, since the layout of the graph depends on its identity
const closedStates: RunState[] = ["completed", "failed", "compensated", "compensation_failed", "cancelled"];

export function RunPage({ id }: { id: string }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.callForText("GET /v1/{ns}/runs/{id}", { path: { ns, id }, query: { include: "tasks" }, signal }),
    [client, ns, id],
  );
  const loaded = useLoaded(load);
  const run = loaded.value?.value ?? null;
  const text = loaded.value?.text ?? "";
  const isClosed = run !== null && closedStates.includes(run.state);
  const log = useRunEvents(id, isClosed);
  const [upTo, setUpTo] = useState<number | null>(null); // null: live
  const past = usePast(id, log.events, upTo);
  const [chosen, setChosen] = useState<string | null>(null);
  const definition = useDefinition(run?.workflow ?? null, run?.version ?? null);

  const last = log.events.at(-1)?.sequence ?? 0;
  const { reload } = loaded;
  useEffect(() => {
    if (last > 0) reload();
  }, [last, reload]);
  const isRetrying = useMemo(
    () => run?.tasks?.some((task) => task.state === "pending" && task.attempt > 0) ?? false,
    [run],
  );

  if (!run) return loaded.problem ? <ProblemBox problem={loaded.problem} /> : <p className="muted">Loading…</p>;
  const tasks = definition ? graphOf(definition).tasks : noTasks;
  const shown = past ? (past.run ?? run) : run;
  const shownText = past?.run ? past.text : text;
  const closePanel = () => {
    setChosen(null);
    document.querySelector<HTMLElement>(`.node[data-node="${CSS.escape(chosen ?? "")}"]`)?.focus();
  };
  return (
    <>
      <header className="page-head">
        <h1>
          <span className="muted">Run of</span>{" "}
          {run.version === null ? (
            run.workflow
          ) : (
            <Link page="definitions" id={run.workflow}>
              {run.workflow}
            </Link>
          )}{" "}
          {run.version !== null && <span className="muted">v{run.version}</span>}
        </h1>
        {past && !past.run ? <span className="muted">Loading history…</span> : <StateMark state={shown.state} />}
        {past ? (
          <span className="muted">State after event {shown.sequence}. Jump to latest to act on the run.</span>
        ) : (
          <>
            {isRetrying && run.state !== "paused" && <StateMark state="retrying" />}
            <RunActions run={run} tasks={tasks} chosen={chosen} onChange={reload} />
          </>
        )}
      </header>
      <ProblemBox problem={loaded.problem ?? log.problem} />
      {shown.error && (
        <p className="error-line">
          <strong>{shown.error.code}</strong> {shown.error.message}
        </p>
      )}
      {shown.compensation_error && (
        <p className="error-line">
          <strong>{shown.compensation_error.code}</strong> {shown.compensation_error.message}
        </p>
      )}
      <RunFacts
        run={shown}
        isPast={past !== null}
        isClosed={isClosed}
        rewoundFrom={rewoundFrom(log.events)}
        round={last}
      />
      <Labels labels={run.labels} />
      <TimeSlider events={log.events} past={past} onChange={setUpTo} />
      <div className="run-body">
        <Tabs
          label="Views of the run"
          tabs={[
            {
              name: "Graph",
              view: (
                <RunGraphView run={run} past={past?.tasks ?? null} tasks={tasks} chosen={chosen} onChoose={setChosen} />
              ),
            },
            {
              name: "Timeline",
              view: <Timeline events={log.events} upTo={upTo} isLive={!isClosed} onChoose={setChosen} />,
            },
            { name: `Events ${last}`, view: <EventLog events={log.events} upTo={upTo} onGoTo={setUpTo} /> },
            {
              name: "Input and output",
              view: (
                <div className="side-by-side">
                  <section>
                    <h2>Input</h2>
                    <JsonView text={fieldText(shownText, "input")} name="input" />
                  </section>
                  <section>
                    <h2>Output</h2>
                    <JsonView text={fieldText(shownText, "output")} name="output" />
                  </section>
                </div>
              ),
            },
          ]}
        />
        {chosen && (
          <NodePanel run={run} past={past} nodeId={chosen} runText={text} onChange={reload} onClose={closePanel} />
        )}
      </div>
    </>
  );
}

function useDefinition(name: string | null, version: number | null) {
  const { client, ns } = useConnection();
  const load = useCallback(
    async (signal: AbortSignal) =>
      name === null || version === null
        ? null
        : client.call("GET /v1/{ns}/definitions/{name}/versions/{version}", {
            path: { ns, name, version: String(version) },
            signal,
          }),
    [client, ns, name, version],
  );
  return useLoaded(load).value;
}

// The first event contains the facts of a run, and the source run if it was rewound.
function rewoundFrom(events: LoggedEvent[]): string | null {
  const made = events[0] && (payloadOf(events[0])["run"] as { rewound_from?: string } | undefined);
  return made?.rewound_from ?? null;
}
