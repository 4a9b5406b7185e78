// The graph of a run with the states of its tasks, now or after an event.
import { useCallback, useEffect, useMemo } from "react";
import { useConnection } from "../../api/context";
import type { DefinitionTask, RunWithTasks } from "../../api/calls";
import { FlowGraph, type GraphNode } from "../../graph/flow_graph";
import { undoneByOf } from "../../graph/definition_graph";
import { useLoaded } from "../../live/use_loaded";
import { ProblemBox } from "../../parts/basics";
import { nodeAt, type RunAt } from "./run_events";

interface Props {
  run: RunWithTasks;
  past: RunAt | null; // null: the current state
  tasks: DefinitionTask[];
  chosen: string | null;
  onChoose: (id: string) => void;
}

export function RunGraphView({ run, past, tasks, chosen, onChoose }: Props) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/runs/{id}/graph", { path: { ns, id: run.id }, signal }),
    [client, ns, run.id],
  );
  const graph = useLoaded(load);
  const { reload } = graph;
  useEffect(reload, [run.sequence, reload]);
  const undoneBy = useMemo(() => undoneByOf(tasks), [tasks]);
  const nodes = useMemo<GraphNode[]>(() => {
    const live = new Map(run.tasks?.filter((task) => task.item === null).map((task) => [task.node_id, task]));
    const undoes = new Map([...undoneBy].map(([task, compensation]) => [compensation, task]));
    return (graph.value?.nodes ?? []).map((node) => {
      const known = live.get(node.id);
      const now = known ?? node;
      const { state, attempt } = past ? nodeAt(past, node.id) : now;
      // A compensation that was never needed has no state.
      if (node.type === "compensation" && (state === "blocked" || state === "cancelled"))
        return { id: node.id, type: node.type, state: null, note: undoes.get(node.id) ?? "" };
      const items = past ? null : known?.items;
      return {
        id: node.id,
        type: node.type,
        state: state === "pending" && attempt > 0 ? "retrying" : state,
        note: items ? `${items.total - items.left} of ${items.total}` : attempt > 1 ? `attempt ${attempt}` : "",
      };
    });
  }, [graph.value, run.tasks, past, undoneBy]);
  if (graph.problem) return <ProblemBox problem={graph.problem} />;
  return (
    <FlowGraph
      label="Graph of the run"
      nodes={nodes}
      edges={graph.value?.edges ?? []}
      undoneBy={undoneBy}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
