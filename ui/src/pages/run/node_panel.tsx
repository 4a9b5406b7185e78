// One task of a run: its state, its attempts with their errors, its payload and its output.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import type { RunWithTasks } from "../../api/calls";
import { useLoaded } from "../../live/use_loaded";
import { ConfirmButton } from "../../parts/confirm_button";
import { AgeFact, ErrorLine, Fact, Facts, Id, ProblemBox } from "../../parts/basics";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { goTo } from "../../route/route";
import { entriesOf, fieldText } from "../../text/json_text";
import { AttemptList } from "../tasks/attempts";
import { attemptsAt, taskAt, type ShownTask } from "./node_at";
import type { Past } from "./use_past";

interface Props {
  run: RunWithTasks;
  past: Past | null; // null: the current state
  nodeId: string;
  runText: string;
  onChange: () => void;
  onClose: () => void;
}

const itemsMax = 20;

export function NodePanel({ run, past, nodeId, runText, onChange, onClose }: Props) {
  const all: ShownTask[] = (run.tasks ?? [])
    .filter((task) => task.node_id === nodeId || task.id === nodeId)
    .map((task) => (past ? taskAt(task, past) : task));
  const node = all.find((task) => task.item === null) ?? all[0];
  if (!node) return null;
  const items = all.filter((task) => task.item !== null);
  return (
    <aside className="panel node-panel" aria-label={`Task ${node.id}`}>
      <header className="page-head">
        <h2>
          {node.node_id} <span className="muted">{node.type}</span>
        </h2>
        <StateMark state={node.state === "pending" && node.attempt > 0 ? "retrying" : node.state} />
        <button type="button" className="quiet" aria-label="Close the task" onClick={onClose}>
          ✕
        </button>
      </header>
      {!node.task_id && <ErrorLine error={node.error} />}
      <NodeFacts runId={run.id} node={node} />
      {past && <p className="muted">State after event {past.upTo}.</p>}
      {!past && <NodeActions run={run} node={node} onChange={onChange} />}
      {items.length > 0 && <Items items={items} />}
      {node.task_id && <TaskOfNode taskId={node.task_id} at={past?.at ?? null} />}
      <h2>Output</h2>
      <JsonView text={!past || node.state === "completed" ? outputOf(runText, node) : null} name="output" />
    </aside>
  );
}

function NodeFacts({ runId, node }: { runId: string; node: ShownTask }) {
  return (
    <Facts>
      <Fact name="Operation key">
        <code>{`${runId}:${node.id}`}</code>
      </Fact>
      {node.child_run_id && (
        <Fact name="Child run">
          <Link page="runs" id={node.child_run_id}>
            <Id id={node.child_run_id} />
          </Link>
        </Fact>
      )}
      <AgeFact name="Due" at={node.due_at} />
      <AgeFact name="Scheduled" at={node.scheduled_at} />
      <AgeFact name="Finished" at={node.finished_at} />
    </Facts>
  );
}

// The actions on one task of the run in its latest state.
function NodeActions({ run, node, onChange }: { run: RunWithTasks; node: ShownTask; onChange: () => void }) {
  const { client, ns } = useConnection();
  const rewind = async () => {
    const { run: created } = await client.call("POST /v1/{ns}/runs/{id}/rewind", {
      path: { ns, id: run.id },
      body: { to: node.node_id },
    });
    onChange();
    goTo({ ns, page: "runs", id: created.id });
    return `Started a new run from ${node.node_id}`;
  };
  const skip = async () => {
    await client.call("POST /v1/{ns}/runs/{id}/skip", { path: { ns, id: run.id }, body: { step: node.id } });
    onChange();
    return `Compensation ${node.id} skipped`;
  };
  if (node.type !== "compensation") {
    return run.kind !== "graph" ? null : (
      <ConfirmButton
        title={`Rewind to ${node.node_id}`}
        consequences={`This starts a new run that keeps all results before ${node.node_id} and runs ${node.node_id} and all later tasks again. This run does not change.`}
        confirm="Start new run"
        action={rewind}
      >
        Rewind to {node.node_id}…
      </ConfirmButton>
    );
  }
  const hasEnded = node.state === "completed" || node.state === "skipped";
  return run.state !== "compensation_failed" || hasEnded ? null : (
    <ConfirmButton
      title={`Skip ${node.id}`}
      consequences={`${node.id} does not run, and the effect that it would undo remains. The run is compensated once no failed compensation is left.`}
      confirm="Skip compensation"
      action={skip}
    >
      Skip {node.id}…
    </ConfirmButton>
  );
}

// Taken from the response text: an output may contain numbers that parsing would change.
function outputOf(runText: string, node: ShownTask): string | null {
  for (const [, task] of entriesOf(fieldText(runText, "tasks") ?? "[]")) {
    if (fieldText(task, "id") === JSON.stringify(node.id)) return fieldText(task, "output");
  }
  return null;
}

function Items({ items }: { items: ShownTask[] }) {
  return (
    <ul className="samples" aria-label="Items">
      {items.slice(0, itemsMax).map((item) => (
        <li key={item.id}>
          {item.task_id ? (
            <Link page="tasks" id={item.task_id}>
              [{item.item}]
            </Link>
          ) : (
            `[${item.item}]`
          )}{" "}
          <StateMark state={item.state} /> {item.error?.message}
        </li>
      ))}
      {items.length > itemsMax && <li className="muted">and {items.length - itemsMax} more</li>}
    </ul>
  );
}

function TaskOfNode({ taskId, at }: { taskId: string; at: string | null }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) => client.callForText("GET /v1/{ns}/tasks/{id}", { path: { ns, id: taskId }, signal }),
    [client, ns, taskId],
  );
  const task = useLoaded(load, 3000);
  if (!task.value) return <ProblemBox problem={task.problem} />;
  return (
    <>
      <h2>Attempts</h2>
      <AttemptList attempts={attemptsAt(task.value.value.attempts, at)} />
      <h2>Payload</h2>
      <JsonView text={fieldText(task.value.text, "payload")} name="payload" />
      <Link page="tasks" id={taskId}>
        Open task
      </Link>
    </>
  );
}
