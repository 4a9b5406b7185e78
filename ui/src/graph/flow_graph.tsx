// A workflow as a graph that can be moved and zoomed; only visible nodes are rendered.
import { memo, useEffect, useMemo, useRef } from "react";
import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { NodeType } from "../api/calls";
import { StateShape } from "../parts/state_mark";
import { inWords } from "../text/format";
import { shortNames } from "../text/short_names";
import { lookOf } from "../text/states";
import { BentEdge } from "./bent_edge";
import { edgeId, layoutOf, nodeHeight, nodeWidth, type Place } from "./layout";

export interface GraphNode {
  id: string;
  type: NodeType;
  state: string | null; // null: a definition, which has no state
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

interface Drawn extends Record<string, unknown> {
  node: GraphNode;
  name: string; // the id, shortened to fit
  isChosen: boolean;
  onChoose: ((id: string) => void) | undefined;
}

type FlowNode = Node<Drawn, "task">;

const nodeTypes = { task: memo(TaskNode) };
const edgeTypes = { bent: memo(BentEdge) };
const fit = { maxZoom: 1, minZoom: 0.2, padding: 0.08 }; // at a smaller zoom nothing is recognizable
const zoomMin = 0.02;
const fitAll = { ...fit, minZoom: zoomMin }; // for the button that shows the whole graph
const lettersMax = 14; // of an id, in a node
// Replaces the library's own text, which mentions moving and deleting nodes.
const spoken = {
  "node.a11yDescription.default": "Press Enter or Space to show the task.",
  "edge.a11yDescription.default": "",
};
const readableZoom = 0.75;
const origin: Place = { x: 0, y: 0 };
const heightMin = 220;
const heightMax = 560;

// The button inside announces itself; the box around it must stay silent.
const notSpoken = { "aria-roledescription": undefined } as unknown as NonNullable<FlowNode["domAttributes"]>;

function flowNodeOf(position: Place, drawn: Drawn): FlowNode {
  return {
    id: drawn.node.id,
    type: "task",
    position,
    width: nodeWidth,
    height: nodeHeight,
    data: drawn,
    domAttributes: notSpoken,
  };
}

function looksTheSame(a: FlowNode, b: FlowNode): boolean {
  return (
    a.position === b.position &&
    a.data.isChosen === b.data.isChosen &&
    a.data.onChoose === b.data.onChoose &&
    a.data.name === b.data.name &&
    a.data.node.state === b.data.node.state &&
    a.data.node.note === b.data.node.note
  );
}

export function FlowGraph({ label, nodes, edges, undoneBy, chosen = null, onChoose }: Props) {
  // Positions depend on the shape alone, so that they stay the same when states change.
  const shape = JSON.stringify([nodes.map((node) => node.id), edges]);
  const layout = useMemo(() => layoutOf({ ids: nodes.map((node) => node.id), edges, undoneBy }), [shape, undoneBy]);
  const names = useMemo(
    () =>
      shortNames(
        nodes.map((node) => node.id),
        lettersMax,
      ),
    [shape],
  );
  // An unchanged node stays the same object, so that of five hundred only changed ones are redrawn.
  const kept = useRef(new Map<string, FlowNode>());
  const flowNodes = useMemo<FlowNode[]>(() => {
    const made = nodes.map((node) => {
      const name = names.get(node.id) ?? node.id;
      const next = flowNodeOf(layout.places.get(node.id) ?? origin, {
        node,
        name,
        isChosen: node.id === chosen,
        onChoose,
      });
      const before = kept.current.get(node.id);
      return before && looksTheSame(before, next) ? before : next;
    });
    kept.current = new Map(made.map((node) => [node.id, node]));
    return made;
  }, [nodes, layout, names, chosen, onChoose]);
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
    <div
      className="graph"
      role="group"
      aria-label={label}
      style={{ height: Math.min(heightMax, Math.max(heightMin, layout.height + 90)) }}
    >
      <ReactFlow
        nodes={flowNodes}
        edges={flowEdges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={fit}
        minZoom={zoomMin}
        maxZoom={2}
        ariaLabelConfig={spoken}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        nodesDraggable={false}
        nodesConnectable={false}
        onlyRenderVisibleElements={nodes.length > 100}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={22} size={1} color="var(--line)" />
        <Controls showInteractive={false} fitViewOptions={fitAll} position="top-right" orientation="horizontal" />
        <FitOnResize centre={chosen === null ? null : (layout.places.get(chosen) ?? null)} />
      </ReactFlow>
    </div>
  );
}

// Panels beside the graph change its width. The whole graph is then fitted again or, if a node is chosen, that node is
// centered at a readable zoom.
function FitOnResize({ centre }: { centre: Place | null }) {
  const { fitView, getViewport, setCenter } = useReactFlow();
  const width = useStore((state) => state.width);
  const latest = useRef(centre);
  latest.current = centre;
  useEffect(() => {
    const place = latest.current;
    if (width === 0) return;
    if (!place) void fitView(fit);
    else
      void setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, {
        zoom: Math.max(readableZoom, getViewport().zoom),
      });
  }, [width, fitView, getViewport, setCenter]);
  return null;
}

const kindInWords: Record<NodeType, string> = {
  activity: "",
  compensation: "compensation",
  sleep: "sleep",
  signal: "signal",
  workflow: "child run",
};

function TaskNode({ data: { node, name, isChosen, onChoose } }: NodeProps<FlowNode>) {
  const tone = node.state ? lookOf(node.state).tone : "wait";
  const { getNode, setCenter, getZoom } = useReactFlow();
  const isShort = name === node.id;
  const look = `node kind-${node.type} tone-edge-${tone}${isChosen ? " chosen" : ""}`;
  // A node that is focused with Tab may be outside of the visible part.
  const bringIntoSight = (element: HTMLElement) => {
    const place = getNode(node.id)?.position;
    if (place && element.matches(":focus-visible") && !isInSight(element)) {
      void setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, { zoom: Math.max(readableZoom, getZoom()) });
    }
  };
  const inside = (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="target" id="undo" position={Position.Top} isConnectable={false} />
      {node.state && <StateShape state={node.state} />}
      <span className="node-text">
        <span className="node-id" title={node.id}>
          {isShort ? node.id : <span aria-hidden="true">{name}</span>}
          {!isShort && <span className="only-heard">{node.id}</span>}
        </span>
        <span className="node-note">
          {[kindInWords[node.type], node.state ? inWords(node.state) : "", node.note].filter(Boolean).join(" · ")}
        </span>
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
      <Handle type="source" id="undo" position={Position.Bottom} isConnectable={false} />
    </>
  );
  const known = { className: look, "data-node": node.id, "data-state": node.state ?? "" };
  if (!onChoose) return <div {...known}>{inside}</div>;
  return (
    <button
      type="button"
      {...known}
      aria-pressed={isChosen}
      onClick={() => onChoose(node.id)}
      onFocus={(event) => bringIntoSight(event.currentTarget)}
    >
      {inside}
    </button>
  );
}

function isInSight(element: HTMLElement): boolean {
  const graph = element.closest(".graph")?.getBoundingClientRect();
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return !graph || (left >= graph.left && right <= graph.right && top >= graph.top && bottom <= graph.bottom);
}
