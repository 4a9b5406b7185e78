// The events of a run, and what they say of its tasks: where each stood after event N, and from when to when it waited
// and worked.
import type { RunEvent } from "../../api/types";

// With the text of the payload as it came.
export interface LoggedEvent extends RunEvent {
  payloadText: string;
}

export interface NodeAt {
  state: string;
  attempt: number;
  taskId: string; // empty: no task was made for it yet
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// Which task an event is of: an element of a for_each has its number beside the task's place in the definition. It stands
// under its own name in a timeline, and under its task's in a graph.
export function nodeOf(event: RunEvent): { id: string; item: number | null } | null {
  const id = textOf(event.payload?.["node_id"]);
  if (id === "") return null;
  const place = event.payload?.["node"];
  const item: unknown = Array.isArray(place) ? place[1] : null;
  if (typeof item !== "number") return { id, item: null };
  return { id: id.slice(0, -`[${item}]`.length), item };
}

const stateAfter: Record<string, string> = {
  task_scheduled: "pending",
  task_started: "running",
  task_retrying: "retrying",
  task_completed: "completed",
  task_failed: "failed",
  task_skipped: "skipped",
  task_cancelled: "cancelled",
  timer_set: "waiting",
  child_started: "waiting",
  compensation_completed: "completed",
  compensation_failed: "failed",
};

export interface RunAt {
  nodes: Map<string, NodeAt>;
  elements: Map<string, NodeAt>; // of a for_each, by their own names
  isStopped: boolean; // what still waits is not going to start
}

export function nodesAfter(events: RunEvent[], upTo: number): RunAt {
  const nodes = new Map<string, NodeAt>();
  const elements = new Map<string, NodeAt>();
  let isStopped = false;
  for (const event of events) {
    if (event.sequence > upTo) break;
    if (event.type === "workflow_retried") forgetEnds(nodes);
    isStopped = event.type === "workflow_retried" ? false : isStopped || stops(event);
    const node = nodeOf(event);
    const state = event.type === "task_scheduled" ? textOf(event.payload?.["node_state"]) || "pending" : stateAfter[event.type];
    if (!node || !state) continue;
    const attempt = event.payload?.["attempt"];
    const after = (known: NodeAt | undefined) => ({
      state,
      attempt: typeof attempt === "number" ? attempt : (known?.attempt ?? 0),
      taskId: textOf(event.payload?.["task_id"]) || (known?.taskId ?? ""),
    });
    const name = `${node.id}[${node.item}]`;
    if (node.item !== null) elements.set(name, after(elements.get(name)));
    // An element that begins or completes leaves its whole where it is.
    if (node.item !== null && state !== "failed") continue;
    nodes.set(node.id, after(nodes.get(node.id)));
  }
  return { nodes, elements, isStopped };
}

function stops(event: RunEvent): boolean {
  if (event.payload?.["state"] === "failing") return true;
  if (event.type === "workflow_cancelled") return event.payload?.["requested"] !== true;
  return event.type === "workflow_failed" || event.type === "deadline_exceeded";
}

// Where a task stood that no event has named.
export function nodeAt({ nodes, isStopped }: RunAt, id: string): NodeAt {
  return nodes.get(id) ?? { state: isStopped ? "cancelled" : "blocked", attempt: 0, taskId: "" };
}

// What failed or was cancelled stands where it stood before it started.
function forgetEnds(nodes: Map<string, NodeAt>): void {
  for (const [id, node] of nodes) {
    if (node.state === "failed" || node.state === "cancelled") nodes.set(id, { ...node, state: "blocked" });
  }
}

export interface Span {
  from: number; // ms
  to: number | null; // null: it goes on
  state: string; // how it ended, or what it does
  what: string;
}

export interface TimelineRow {
  name: string;
  nodeId: string;
  spans: Span[];
}

const begins: Record<string, { state: string; what: string }> = {
  task_scheduled: { state: "pending", what: "waits for a worker" },
  task_started: { state: "running", what: "attempt" },
  task_retrying: { state: "retrying", what: "waits for the next attempt" },
  timer_set: { state: "sleeping", what: "waits for the time" },
  child_started: { state: "running", what: "child run" },
};
const ends: Record<string, string> = {
  task_completed: "completed",
  task_failed: "failed",
  task_cancelled: "cancelled",
  task_timed_out: "timed_out",
  lease_expired: "lease_expired",
  task_retrying: "failed",
  timer_fired: "completed",
  signal_consumed: "completed",
  child_finished: "completed",
  compensation_completed: "compensated",
  compensation_failed: "compensation_failed",
};

export function timelineOf(events: RunEvent[]): TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  for (const event of events) {
    const node = nodeOf(event);
    if (!node) continue;
    const name = node.item === null ? node.id : `${node.id}[${node.item}]`;
    const row = rows.get(name) ?? { name, nodeId: node.id, spans: [] };
    rows.set(name, row);
    const at = Date.parse(event.at);
    const last = row.spans.at(-1);
    if (last && last.to === null && (ends[event.type] || begins[event.type])) {
      last.to = at;
      if (last.state === "running" && ends[event.type]) last.state = ends[event.type] ?? last.state;
    }
    const isWait = event.payload?.["node_state"] === "waiting";
    const what = event.payload?.["items"] === undefined ? "waits for a signal" : "waits for its elements";
    const begun = isWait ? { state: "sleeping", what } : begins[event.type];
    if (begun) {
      const attempt = event.payload?.["attempt"];
      const isAttempt = begun.what === "attempt" && typeof attempt === "number";
      row.spans.push({ from: at, to: null, state: begun.state, what: isAttempt ? `attempt ${attempt}` : begun.what });
    }
  }
  return [...rows.values()].filter((row) => row.spans.length > 0);
}
