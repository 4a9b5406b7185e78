// A task of a run as it was at an event: later changes are left out.
import type { Attempt, RunTask } from "../../api/calls";
import { nodeAt } from "./run_events";
import type { Past } from "./use_past";

// The server formats all times the same way, so that comparing their texts compares the times.
function isBy(time: string | null, at: string): boolean {
  return time !== null && time <= at;
}

// A task of a run in a state that the page shows.
export interface ShownTask extends Omit<RunTask, "state"> {
  state: string;
}

export function taskAt(task: RunTask, { tasks, at }: Past): ShownTask {
  const name = `${task.node_id}[${task.item}]`;
  const { state, attempt, taskId } =
    task.item === null
      ? nodeAt(tasks, task.node_id)
      : (tasks.elements.get(name) ?? { state: "blocked", attempt: 0, taskId: "" });
  const isScheduled = isBy(task.scheduled_at, at);
  return {
    ...task,
    state,
    attempt,
    error: state === "failed" ? task.error : null,
    task_id: taskId || null,
    child_run_id: isScheduled ? task.child_run_id : null,
    scheduled_at: isScheduled ? task.scheduled_at : null,
    due_at: isScheduled ? task.due_at : null,
    finished_at: isBy(task.finished_at, at) ? task.finished_at : null,
  };
}

export function attemptsAt(attempts: Attempt[], at: string | null): Attempt[] {
  if (at === null) return attempts;
  return attempts
    .filter((attempt) => isBy(attempt.claimed_at, at))
    .map((attempt) =>
      isBy(attempt.finished_at, at) ? attempt : { ...attempt, finished_at: null, outcome: null, error: null },
    );
}
