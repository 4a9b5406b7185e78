// One run: its graph, its timeline, its log, what went in and came out, and everything one can do to it. The slider goes
// back in time: everything is then shown as it was after that event.
import { useCallback, useEffect, useMemo, useState } from "react";
import { useConnection } from "../../api/context";
import type { DefinitionTask, RunState } from "../../api/types";
import { useLoaded } from "../../live/use_loaded";
import { Age, Fact, Facts, Id, Labels, ProblemBox } from "../../parts/basics";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { Tabs } from "../../parts/tabs";
import { fieldText } from "../../text/json_text";
import { JsonView } from "../../parts/json_view";
import { EventLog } from "./event_log";
import { NodePanel } from "./node_panel";
import { RunActions } from "./run_actions";
import { RunChildren } from "./run_children";
import { RunGraphView } from "./run_graph_view";
import { TimeSlider } from "./time_slider";
import { Timeline } from "./timeline";
import { useRunEvents } from "./use_run_events";

const noTasks: DefinitionTask[] = []; // always the same one: the layout of the graph hangs on it
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
  const [chosen, setChosen] = useState<string | null>(null);
  const definition = useDefinition(run?.workflow ?? null, run?.version ?? null);

  const last = log.events.at(-1)?.sequence ?? 0;
  const { reload } = loaded;
  useEffect(() => {
    if (last > 0) reload();
  }, [last, reload]);
  const isRetrying = useMemo(() => run?.tasks.some((task) => task.state === "pending" && task.attempt > 0) ?? false, [run]);

  if (!run) return loaded.problem ? <ProblemBox problem={loaded.problem} /> : <p className="muted">Loading…</p>;
  const tasks = definition?.definition.tasks ?? noTasks;
  const input = fieldText(text, "input");
  const output = fieldText(text, "output");
  return (
    <>
      <header className="page-head">
        <h1>
          <span className="muted">Run of</span>{" "}
          {run.version === null ? run.workflow : <Link page="definitions" id={run.workflow}>{run.workflow}</Link>}{" "}
          {run.version !== null && <span className="muted">v{run.version}</span>}
        </h1>
        <StateMark state={run.state} />
        {isRetrying && run.state !== "paused" && <StateMark state="retrying" />}
        <RunActions run={run} tasks={tasks} chosen={chosen} onChange={reload} />
      </header>
      <ProblemBox problem={loaded.problem ?? log.problem} />
      {run.error && (
        <p className="error-line">
          <strong>{run.error.code}</strong> {run.error.message}
        </p>
      )}
      <Facts>
        <Fact name="Id">
          <Id id={run.id} whole />
        </Fact>
        {run.run_key && <Fact name="Key">{run.run_key}</Fact>}
        {run.custom_status && <Fact name="Status">{run.custom_status}</Fact>}
        {run.parent && (
          <Fact name="Parent">
            <Link page="runs" id={run.parent.run_id}>
              <Id id={run.parent.run_id} />
            </Link>{" "}
            {run.parent.node_id}
          </Fact>
        )}
        <Fact name="Created">
          <Age at={run.created_at} />
        </Fact>
        {run.finished_at && (
          <Fact name="Ended">
            <Age at={run.finished_at} />
          </Fact>
        )}
        {run.wake_at && (
          <Fact name="Wakes">
            <Age at={run.wake_at} />
          </Fact>
        )}
        {run.deadline_at && (
          <Fact name="Deadline">
            <Age at={run.deadline_at} />
          </Fact>
        )}
        <Fact name="Tasks">
          {Object.entries(run.counts)
            .filter(([, n]) => n > 0)
            .map(([state, n]) => `${n} ${state}`)
            .join(", ") || "none"}
        </Fact>
        <RunChildren id={id} round={last} />
      </Facts>
      <Labels labels={run.labels} />
      <TimeSlider id={id} events={log.events} isClosed={isClosed} upTo={upTo} onChange={setUpTo} />
      <div className="run-body">
        <Tabs
          label="Views of the run"
          tabs={[
            {
              name: "Graph",
              view: <RunGraphView run={run} events={log.events} upTo={upTo} tasks={tasks} chosen={chosen} onChoose={setChosen} />,
            },
            { name: "Timeline", view: <Timeline events={log.events} upTo={upTo} isLive={!isClosed} onChoose={setChosen} /> },
            { name: `Events ${last}`, view: <EventLog events={log.events} upTo={upTo} onGoTo={setUpTo} /> },
            {
              name: "Input and output",
              view: (
                <div className="side-by-side">
                  <section>
                    <h2>Input</h2>
                    <JsonView text={input} name="input" />
                  </section>
                  <section>
                    <h2>Output</h2>
                    <JsonView text={output} name="output" />
                  </section>
                </div>
              ),
            },
          ]}
        />
        {chosen && <NodePanel run={run} nodeId={chosen} runText={text} onChange={reload} onClose={() => setChosen(null)} />}
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
        : client.call("GET /v1/{ns}/definitions/{name}/versions/{version}", { path: { ns, name, version: String(version) }, signal }),
    [client, ns, name, version],
  );
  return useLoaded(load).value;
}
