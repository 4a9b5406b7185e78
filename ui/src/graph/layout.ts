// Positions of a workflow's nodes: in layers from left to right, each node after its predecessors, ordered for few
// crossing edges. A compensation is placed right below the task that it undoes. A long edge has a point in each layer
// that it crosses, so that it runs between nodes and not behind them.

export interface GraphShape {
  ids: string[];
  edges: { from: string; to: string }[];
  undoneBy: Map<string, string>; // from a task to its compensation
}

export interface Place {
  x: number;
  y: number;
}

export interface Layout {
  places: Map<string, Place>; // of nodes: their upper left corners
  bends: Map<string, Place[]>; // of edges, by edgeId: the points between its ends
  height: number;
}

export const nodeWidth = 176;
export const nodeHeight = 42;
const gapX = 46;
const gapY = 18;
const sweeps = 6;

export function edgeId({ from, to }: { from: string; to: string }): string {
  return JSON.stringify([from, to]);
}

export function layoutOf(shape: GraphShape): Layout {
  const compensations = new Set(shape.undoneBy.values());
  const tasks = shape.ids.filter((id) => !compensations.has(id));
  const layers = layersOf(tasks, neighbours(tasks, shape.edges, "to", "from"));
  const { edges, waypoints } = bent(layers, shape.edges);
  const all = layers.flat();
  const before = neighbours(all, edges, "to", "from");
  const after = neighbours(all, edges, "from", "to");
  for (let sweep = 0; sweep < sweeps; sweep += 1) order(layers, sweep % 2 === 0 ? before : after, sweep % 2 === 0);
  return placed(layers, shape.undoneBy, waypoints);
}

function neighbours(
  ids: string[],
  edges: GraphShape["edges"],
  of: "from" | "to",
  other: "from" | "to",
): Map<string, string[]> {
  const known = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const edge of edges) {
    if (known.has(edge[other])) known.get(edge[of])?.push(edge[other]);
  }
  return known;
}

// A node's layer is the length of the longest path to it. Definitions have no cycles; the server refuses them.
function layersOf(ids: string[], before: Map<string, string[]>): string[][] {
  const depth = new Map<string, number>();
  const depthOf = (id: string): number => {
    const known = depth.get(id);
    if (known !== undefined) return known;
    depth.set(id, 0);
    const found = Math.max(-1, ...(before.get(id) ?? []).map(depthOf)) + 1;
    depth.set(id, found);
    return found;
  };
  const layers: string[][] = [];
  for (const id of ids) (layers[depthOf(id)] ??= []).push(id);
  return layers;
}

// Splits long edges into chains of short ones, over waypoints that are placed in the layers like nodes.
function bent(layers: string[][], edges: GraphShape["edges"]) {
  const layerOf = new Map(layers.flatMap((layer, i) => layer.map((id) => [id, i] as const)));
  const waypoints = new Map<string, string>(); // to the id of their edge
  const short = edges.flatMap((edge) => {
    const first = layerOf.get(edge.from) ?? 0;
    const last = layerOf.get(edge.to) ?? 0;
    const chain = [edge.from];
    for (let layer = first + 1; layer < last; layer += 1) {
      const waypoint = `${edgeId(edge)} ${layer}`;
      waypoints.set(waypoint, edgeId(edge));
      layers[layer]?.push(waypoint);
      chain.push(waypoint);
    }
    chain.push(edge.to);
    return chain.slice(1).map((to, i) => ({ from: chain[i] ?? "", to }));
  });
  return { edges: short, waypoints };
}

// The barycenter method: moves each node to the middle of its neighbors in the layer before (or after).
function order(layers: string[][], towards: Map<string, string[]>, isForward: boolean): void {
  const rank = new Map<string, number>();
  const note = (layer: string[]) => layer.forEach((id, i) => rank.set(id, i - (layer.length - 1) / 2));
  layers.forEach(note);
  for (const layer of isForward ? layers : [...layers].reverse()) {
    const middle = (id: string) => {
      const ranks = (towards.get(id) ?? []).map((other) => rank.get(other) ?? 0);
      return ranks.length > 0 ? ranks.reduce((a, b) => a + b, 0) / ranks.length : (rank.get(id) ?? 0);
    };
    const keyed = layer.map((id, i) => ({ id, i, middle: middle(id) }));
    keyed.sort((a, b) => a.middle - b.middle || a.i - b.i);
    keyed.forEach(({ id }, i) => (layer[i] = id));
    note(layer);
  }
}

// A layer is centered by its tasks and edges alone, so that a chain with compensations below stays a straight line.
function placed(layers: string[][], undoneBy: Map<string, string>, waypoints: Map<string, string>): Layout {
  const places = new Map<string, Place>();
  const bends = new Map<string, Place[]>();
  const rowHeight = nodeHeight + gapY;
  let rowsMax = 1;
  layers.forEach((layer, column) => {
    const stacked = layer.flatMap((id) => [id, ...(undoneBy.has(id) ? [undoneBy.get(id) ?? ""] : [])]);
    const top = -(layer.length * rowHeight - gapY) / 2;
    rowsMax = Math.max(rowsMax, stacked.length + (stacked.length - layer.length));
    stacked.forEach((id, row) => {
      const place = { x: column * (nodeWidth + gapX), y: top + row * rowHeight };
      const edge = waypoints.get(id);
      if (edge === undefined) places.set(id, place);
      else bends.set(edge, [...(bends.get(edge) ?? []), { x: place.x, y: place.y + nodeHeight / 2 }]);
    });
  });
  return { places, bends, height: rowsMax * rowHeight };
}
