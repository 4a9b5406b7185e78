// Where the nodes of a workflow stand: in layers from left to right, each after all that it waits for, ordered so that
// few edges cross. A compensation stands right below what it undoes.

export interface GraphShape {
  ids: string[];
  edges: { from: string; to: string }[];
  undoneBy: Map<string, string>; // a task and its compensation
}

export interface Place {
  x: number;
  y: number;
}

export const nodeWidth = 188;
export const nodeHeight = 42;
const gapX = 56;
const gapY = 18;
const sweeps = 6;

export function layoutOf(shape: GraphShape): Map<string, Place> {
  const compensations = new Set(shape.undoneBy.values());
  const tasks = shape.ids.filter((id) => !compensations.has(id));
  const before = neighbours(tasks, shape.edges, "to", "from");
  const after = neighbours(tasks, shape.edges, "from", "to");
  const layers = layersOf(tasks, before);
  for (let sweep = 0; sweep < sweeps; sweep += 1) order(layers, sweep % 2 === 0 ? before : after, sweep % 2 === 0);
  return placesOf(layers, shape.undoneBy);
}

function neighbours(ids: string[], edges: GraphShape["edges"], of: "from" | "to", other: "from" | "to"): Map<string, string[]> {
  const known = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const edge of edges) {
    if (known.has(edge[other])) known.get(edge[of])?.push(edge[other]);
  }
  return known;
}

// The layer of a node is the longest way to it. Definitions have no cycles; the server refuses them.
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

// Each node moves to the middle of its neighbours in the layer before (or after): the barycentre method.
function order(layers: string[][], towards: Map<string, string[]>, isForward: boolean): void {
  const rank = new Map<string, number>();
  const note = (layer: string[]) => layer.forEach((id, i) => rank.set(id, i - layer.length / 2));
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

function placesOf(layers: string[][], undoneBy: Map<string, string>): Map<string, Place> {
  const places = new Map<string, Place>();
  layers.forEach((layer, column) => {
    const stacked = layer.flatMap((id) => [id, ...(undoneBy.has(id) ? [undoneBy.get(id) ?? ""] : [])]);
    const height = stacked.length * (nodeHeight + gapY) - gapY;
    // A layer is centred by its tasks alone, so that a chain of them is a straight line.
    const extra = (stacked.length - layer.length) * (nodeHeight + gapY);
    stacked.forEach((id, row) => {
      places.set(id, { x: column * (nodeWidth + gapX), y: row * (nodeHeight + gapY) - (height - extra) / 2 });
    });
  });
  return places;
}
