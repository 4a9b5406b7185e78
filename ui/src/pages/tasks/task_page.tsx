// One task: its state, payload, output and attempts.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { ActionButton } from "../../parts/action_button";
import { ConfirmButton } from "../../parts/confirm_button";
import { Age, AgeFact, ErrorLine, Fact, Facts, Id, Labels, NotLoaded, ProblemBox } from "../../parts/basics";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { attemptsInWords } from "../../text/format";
import { fieldText } from "../../text/json_text";
import { Attempts } from "./attempts";
import { shownStatus } from "./tasks_page";

// The idempotency key for external calls: the same for every attempt.
function operationKey(task: { id: string; run_id: string | null; node_id: string | null }): string {
  return task.run_id === null ? task.id : `${task.run_id}:${task.node_id}`;
}

export function TaskPage({ id }: { id: string }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) => client.callForText("GET /v1/{ns}/tasks/{id}", { path: { ns, id }, signal }),
    [client, ns, id],
  );
  const loaded = useLoaded(load, 2000);
  const task = loaded.value?.value;
  const text = loaded.value?.text ?? "";
  if (!task) return <NotLoaded problem={loaded.problem} />;

  const canRetry = task.status === "failed" || task.status === "dead_letter";
  const canCancel = ["pending", "blocked", "claimed", "running"].includes(task.status);
  const retry = async () => {
    await client.call("POST /v1/{ns}/tasks/{id}/retry", { path: { ns, id } });
    loaded.reload();
    return "Task is pending again; its attempt limit is reset";
  };
  const cancel = async () => {
    const after = await client.call("POST /v1/{ns}/tasks/{id}/cancel", { path: { ns, id } });
    loaded.reload();
    return after.status === "cancelled" ? "Task cancelled" : "Cancel requested: the worker stops at its next heartbeat";
  };
  return (
    <>
      <header className="page-head">
        <h1>
          <span className="muted">Task</span> {task.type}
        </h1>
        <StateMark state={shownStatus(task)} />
        {canRetry && task.run_id !== null ? (
          <Link page="runs" id={task.run_id} className="button">
            Retry the run…
          </Link>
        ) : (
          <ActionButton action={retry} kind="main" isDisabled={!canRetry}>
            Retry
          </ActionButton>
        )}
        <ConfirmButton
          title={`Cancel ${task.type}`}
          consequences="A queued task never runs. A running task is stopped at the next heartbeat of its worker. This cannot be undone."
          confirm="Cancel the task"
          dismiss="Keep the task"
          action={cancel}
          kind="danger"
          isDisabled={!canCancel || task.cancel_requested}
        >
          {task.cancel_requested ? "Cancel requested" : "Cancel…"}
        </ConfirmButton>
      </header>
      <ProblemBox problem={loaded.problem} />
      <ErrorLine error={task.error} />
      <Facts>
        <Fact name="ID">
          <Id id={task.id} whole />
        </Fact>
        <Fact name="Queue">
          <Link page="tasks" query={{ queue: task.queue }}>
            {task.queue}
          </Link>
        </Fact>
        {task.run_id && (
          <Fact name="Run">
            <Link page="runs" id={task.run_id}>
              <Id id={task.run_id} />
            </Link>{" "}
            {task.node_id}
          </Fact>
        )}
        {task.key && (
          <Fact name="Key">
            <Link page="tasks" query={{ key: task.key }}>
              {task.key}
            </Link>
          </Fact>
        )}
        <Fact name="Operation key">
          <code>{operationKey(task)}</code>
        </Fact>
        <Fact name="Priority">{task.priority}</Fact>
        <Fact name="Attempt">
          {attemptsInWords(task.attempt, task.retry.max_attempts, { of: " of ", any: "unlimited" })}
        </Fact>
        <Fact name="Created">
          <Age at={task.created_at} />
        </Fact>
        {task.status === "pending" && (
          <Fact name="Available">
            <Age at={task.available_at} />
          </Fact>
        )}
        <AgeFact name="Finished" at={task.finished_at} />
        {task.lease && (
          <Fact name="Claimed by">
            <Id id={task.lease.worker_id} />, lease expires <Age at={task.lease.expires_at} />
          </Fact>
        )}
      </Facts>
      <Labels labels={task.labels} />
      <div className="side-by-side">
        <section className="panel">
          <h2>Payload</h2>
          <JsonView text={fieldText(text, "payload")} name="payload" />
        </section>
        <section className="panel">
          <h2>Output</h2>
          <JsonView text={fieldText(text, "output")} name="output" />
        </section>
      </div>
      <Attempts attempts={task.attempts} />
    </>
  );
}
