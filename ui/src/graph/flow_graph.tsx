// A workflow drawn as a graph that can be moved and zoomed; only what is in sight is in the page.
import { memo, useEffect, useMemo, useRef } from "react";
import { Background, Controls, Handle, Position, ReactFlow, useReactFlow, useStore, type Edge, type Node, type NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { NodeType } from "../api/types";
import { StateShape } from "../parts/state_mark";
import { inWords } from "../text/format";
import { lookOf } from "../text/states";
import { BentEdge } from "./bent_edge";
import { edgeId, layoutOf, nodeHeight, nodeWidth, type Place } from "./layout";

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
const edgeTypes = { bent: memo(BentEdge) };
const fit = { maxZoom: 1, minZoom: 0.35, padding: 0.08 };
const readableZoom = 0.75;
const origin: Place = { x: 0, y: 0 };
const heightMin = 220;
const heightMax = 560;

function flowNodeOf(node: GraphNode, position: Place, isChosen: boolean): FlowNode {
  return {
    id: node.id,
    type: "task",
    position,
    width: nodeWidth,
    height: nodeHeight,
    data: { node, isChosen },
    ariaLabel: `${node.id}, ${node.type}${node.state ? `, ${inWords(node.state)}` : ""}`,
  };
}

function looksTheSame(a: FlowNode, b: FlowNode): boolean {
  return (
    a.position === b.position &&
    a.data.isChosen === b.data.isChosen &&
    a.data.node.state === b.data.node.state &&
    a.data.node.note === b.data.node.note
  );
}

export function FlowGraph({ label, nodes, edges, undoneBy, chosen = null, onChoose }: Props) {
  // What stands where depends on the shape alone: states change all the time, places must not.
  const shape = JSON.stringify([nodes.map((node) => node.id), edges]);
  const layout = useMemo(() => layoutOf({ ids: nodes.map((node) => node.id), edges, undoneBy }), [shape, undoneBy]);
  // A node that did not change stays the same object: of five hundred, only those that did are drawn anew.
  const kept = useRef(new Map<string, FlowNode>());
  const flowNodes = useMemo<FlowNode[]>(() => {
    const made = nodes.map((node) => {
      const next = flowNodeOf(node, layout.places.get(node.id) ?? origin, node.id === chosen);
      const before = kept.current.get(node.id);
      return before && looksTheSame(before, next) ? before : next;
    });
    kept.current = new Map(made.map((node) => [node.id, node]));
    return made;
  }, [nodes, layout, chosen]);
  const flowEdges = useMemo<Edge[]>(
    () => [
      ...edges.map((edge) => ({
        id: edgeId(edge),
        type: "bent",
        source: edge.from,
        target: edge.to,
        focusable: false,
        data: { bends: layout.bends.get(edgeId(edge)) ?? [] },
      })),
      ...[...undoneBy].map(([task, compensation]) => ({
        id: `undo ${edgeId({ from: task, to: compensation })}`,
        source: task,
        target: compensation,
        sourceHandle: "undo",
        targetHandle: "undo",
        className: "undo-edge",
        focusable: false,
      })),
    ],
    [undoneBy, layout],
  );
  return (
    <div className="graph" role="group" aria-label={label} style={{ height: Math.min(heightMax, Math.max(heightMin, layout.height + 90)) }}>
      <ReactFlow
        nodes={flowNodes}
        edges={flowEdges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={fit}
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
        <Controls showInteractive={false} fitViewOptions={fit} position="top-right" orientation="horizontal" />
        <FitOnResize centre={chosen === null ? null : (layout.places.get(chosen) ?? null)} />
      </ReactFlow>
    </div>
  );
}

// What beside it opens or closes makes the graph's place narrower or wider: the whole is shown again, or, where that
// would be too small to read, the chosen node.
function FitOnResize({ centre }: { centre: Place | null }) {
  const { fitView, getViewport, setCenter } = useReactFlow();
  const width = useStore((state) => state.width);
  const latest = useRef(centre);
  latest.current = centre;
  useEffect(() => {
    const place = latest.current;
    if (width === 0) return;
    if (!place) void fitView(fit);
    else void setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, { zoom: Math.max(readableZoom, getViewport().zoom) });
  }, [width, fitView, getViewport, setCenter]);
  return null;
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
