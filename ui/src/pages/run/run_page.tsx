// One run: its graph, timeline, log, input, output and actions. The slider goes back in time: the whole page then shows
// the state after that event.
import { useCallback, useEffect, useState } from "react";
import { useConnection } from "../../api/context";
import type { DefinitionTask, Run, RunState, RunWithTasks } from "../../api/calls";
import { graphOf, payloadOf } from "../../api/types";
import { useLoaded } from "../../live/use_loaded";
import { ErrorLine, Labels, NotLoaded, ProblemBox } from "../../parts/basics";
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

// The run with its tasks, and its events. It is reloaded after each new event.
function useRun(id: string) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.callForText("GET /v1/{ns}/runs/{id}", { path: { ns, id }, query: { include: "tasks" }, signal }),
    [client, ns, id],
  );
  const { value, problem, reload } = useLoaded(load);
  const run = value?.value ?? null;
  const isClosed = run !== null && closedStates.includes(run.state);
  const log = useRunEvents(id, isClosed);
  const last = log.events.at(-1)?.sequence ?? 0;
  useEffect(() => {
    if (last > 0) reload();
  }, [last, reload]);
  return { run, text: value?.text ?? "", isClosed, events: log.events, last, problem: problem ?? log.problem, reload };
}

export function RunPage({ id }: { id: string }) {
  const { run, text, isClosed, events, last, problem, reload } = useRun(id);
  const [upTo, setUpTo] = useState<number | null>(null); // null: live
  const past = usePast(id, events, upTo);
  const [chosen, setChosen] = useState<string | null>(null);
  const tasks = useDefinedTasks(run);

  if (!run) return <NotLoaded problem={problem} />;
  const shown = past?.run ?? run;
  const shownText = past?.run ? past.text : text;
  const closePanel = () => {
    setChosen(null);
    document.querySelector<HTMLElement>(`.node[data-node="${CSS.escape(chosen ?? "")}"]`)?.focus();
  };
  return (
    <>
      <header className="page-head">
        <RunTitle run={run} />
        {past ? (
          <PastState run={past.run} upTo={past.upTo} />
        ) : (
          <>
            <StateMark state={run.state} />
            {isRetrying(run) && <StateMark state="retrying" />}
            <RunActions run={run} tasks={tasks} chosen={chosen} onChange={reload} />
          </>
        )}
      </header>
      <ProblemBox problem={problem} />
      <ErrorLine error={shown.error} />
      <ErrorLine error={shown.compensation_error} />
      <RunFacts run={shown} isPast={past !== null} isClosed={isClosed} rewoundFrom={rewoundFrom(events)} round={last} />
      <Labels labels={run.labels} />
      <TimeSlider events={events} past={past} onChange={setUpTo} />
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
              view: <Timeline events={events} upTo={upTo} isLive={!isClosed} onChoose={setChosen} />,
            },
            { name: `Events ${last}`, view: <EventLog events={events} upTo={upTo} onGoTo={setUpTo} /> },
            {
              name: "Input and output",
              view: <InputAndOutput text={shownText} />,
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

function RunTitle({ run: { workflow, version } }: { run: Run }) {
  return (
    <h1>
      <span className="muted">Run of</span>{" "}
      {version === null ? (
        workflow
      ) : (
        <>
          <Link page="definitions" id={workflow}>
            {workflow}
          </Link>{" "}
          <span className="muted">v{version}</span>
        </>
      )}
    </h1>
  );
}

// `run`: null while the server rebuilds it.
function PastState({ run, upTo }: { run: Run | null; upTo: number }) {
  return (
    <>
      {run ? <StateMark state={run.state} /> : <span className="muted">Loading history…</span>}
      <span className="muted">State after event {upTo}. Jump to latest to act on the run.</span>
    </>
  );
}

function InputAndOutput({ text }: { text: string }) {
  return (
    <div className="side-by-side">
      <section>
        <h2>Input</h2>
        <JsonView text={fieldText(text, "input")} name="input" />
      </section>
      <section>
        <h2>Output</h2>
        <JsonView text={fieldText(text, "output")} name="output" />
      </section>
    </div>
  );
}

function isRetrying({ state, tasks }: RunWithTasks): boolean {
  return state !== "paused" && (tasks ?? []).some((task) => task.state === "pending" && task.attempt > 0);
}

// The tasks of the run's definition; none for a code run.
function useDefinedTasks(run: Run | null): DefinitionTask[] {
  const { client, ns } = useConnection();
  const name = run?.workflow ?? null;
  const version = run?.version ?? null;
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
  const definition = useLoaded(load).value;
  return definition ? graphOf(definition).tasks : noTasks;
}

// The first event contains the facts of a run, and the source run if it was rewound.
function rewoundFrom(events: LoggedEvent[]): string | null {
  const made = events[0] && (payloadOf(events[0])["run"] as { rewound_from?: string } | undefined);
  return made?.rewound_from ?? null;
}
