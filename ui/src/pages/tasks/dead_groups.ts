// Failed tasks grouped by failure, the largest group first.
import type { Task } from "../../api/calls";
import { fingerprintOf, messageShape } from "../../text/fingerprint";

export interface DeadGroup {
  fingerprint: string;
  type: string;
  code: string;
  shape: string;
  tasks: Task[]; // the newest first
}

export const deadStatuses = "dead_letter,failed";

export function fingerprintOfTask({ type, error }: Task): string {
  return fingerprintOf(type, error?.code ?? "unknown", error?.message ?? "");
}

// A run has recorded the end of its task: the task cannot be retried alone, but the run can continue from it.
export function runsOf(tasks: Task[]): string[] {
  return [...new Set(tasks.flatMap((task) => (task.run_id === null ? [] : [task.run_id])))];
}

export function groupsOf(tasks: Task[]): DeadGroup[] {
  const groups = new Map<string, DeadGroup>();
  for (const task of tasks) {
    const code = task.error?.code ?? "unknown";
    const message = task.error?.message ?? "";
    const fingerprint = fingerprintOfTask(task);
    const group = groups.get(fingerprint) ?? {
      fingerprint,
      type: task.type,
      code,
      shape: messageShape(message),
      tasks: [],
    };
    group.tasks.push(task);
    groups.set(fingerprint, group);
  }
  return [...groups.values()].sort((a, b) => b.tasks.length - a.tasks.length);
}
