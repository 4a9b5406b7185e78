// The graph of a definition: the order of its tasks, and their compensations.
import type { DefinitionTask } from "../api/calls";
import type { GraphNode } from "./flow_graph";

export function nodesOf(tasks: DefinitionTask[]): GraphNode[] {
  return tasks.map((task) => ({
    id: task.id,
    type: task.type ?? "activity",
    state: null,
    note: task.activity ?? task.signal ?? task.workflow ?? task.duration ?? "",
  }));
}

export function edgesOf(tasks: DefinitionTask[]): { from: string; to: string }[] {
  return tasks.flatMap((task) => (task.after ?? []).map((from) => ({ from, to: task.id })));
}

export function undoneByOf(tasks: DefinitionTask[]): Map<string, string> {
  return new Map(tasks.flatMap((task) => (task.compensate ? [[task.id, task.compensate] as const] : [])));
}
