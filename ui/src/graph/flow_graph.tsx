// A workflow drawn as a graph that can be moved and zoomed; only what is in sight is in the page.
import { memo, useMemo } from "react";
import { Background, Controls, Handle, Position, ReactFlow, type Edge, type Node, type NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { NodeType } from "../api/types";
import { StateShape } from "../parts/state_mark";
import { inWords } from "../text/format";
import { lookOf } from "../text/states";
import { layoutOf, nodeHeight, nodeWidth } from "./layout";

export interface GraphNode {
  id: string;
  type: NodeType;
  state: string | null; // none: a definition, which stands nowhere
  note?: string;
}

interface Props {
  label: string;
  nodes: GraphNode[];
  edges: { from: string; to: string }[];
  undoneBy: Map<string, string>;
  chosen?: string | null;
  onChoose?: (id: string) => void;
}

type FlowNode = Node<{ node: GraphNode; isChosen: boolean }, "task">;

const nodeTypes = { task: memo(TaskNode) };

export function FlowGraph({ label, nodes, edges, undoneBy, chosen = null, onChoose }: Props) {
  // What stands where depends on the shape alone: states change all the time, places must not.
  const shape = JSON.stringify([nodes.map((node) => node.id), edges]);
  const places = useMemo(() => layoutOf({ ids: nodes.map((node) => node.id), edges, undoneBy }), [shape, undoneBy]);
  const flowNodes = useMemo<FlowNode[]>(
    () =>
      nodes.map((node) => ({
        id: node.id,
        type: "task",
        position: places.get(node.id) ?? { x: 0, y: 0 },
        width: nodeWidth,
        height: nodeHeight,
        data: { node, isChosen: node.id === chosen },
        ariaLabel: `${node.id}, ${node.type}${node.state ? `, ${inWords(node.state)}` : ""}`,
      })),
    [nodes, places, chosen],
  );
  const flowEdges = useMemo<Edge[]>(
    () => [
      ...edges.map(({ from, to }) => ({ id: `${from}→${to}`, source: from, target: to, focusable: false })),
      ...[...undoneBy].map(([task, compensation]) => ({
        id: `${task}⤺${compensation}`,
        source: task,
        target: compensation,
        sourceHandle: "undo",
        targetHandle: "undo",
        className: "undo-edge",
        focusable: false,
      })),
    ],
    [edges, undoneBy],
  );
  return (
    <div className="graph" role="group" aria-label={label}>
      <ReactFlow
        nodes={flowNodes}
        edges={flowEdges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, minZoom: 0.35, padding: 0.08 }}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        onlyRenderVisibleElements={nodes.length > 100}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) => onChoose?.(node.id)}
        onSelectionChange={({ nodes: selected }) => selected[0] && onChoose?.(selected[0].id)}
      >
        <Background gap={22} size={1} color="var(--line)" />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

const kindInWords: Record<NodeType, string> = {
  activity: "",
  compensation: "undoes",
  sleep: "sleep",
  signal: "signal",
  workflow: "child run",
};

function TaskNode({ data: { node, isChosen } }: NodeProps<FlowNode>) {
  const tone = node.state ? lookOf(node.state).tone : "wait";
  return (
    <div className={`node kind-${node.type} tone-edge-${tone}${isChosen ? " chosen" : ""}`} data-node={node.id} data-state={node.state ?? ""}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="target" id="undo" position={Position.Top} isConnectable={false} />
      {node.state && <StateShape state={node.state} />}
      <span className="node-text">
        <span className="node-id" title={node.id}>
          {node.id}
        </span>
        <span className="node-note">
          {[kindInWords[node.type], node.state ? inWords(node.state) : "", node.note].filter(Boolean).join(" · ")}
        </span>
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
      <Handle type="source" id="undo" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}
