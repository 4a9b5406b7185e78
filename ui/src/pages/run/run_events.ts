// The events of a run, and the states of its tasks derived from them: after event N, and as time spans of waiting and
// work.
import type { RunEvent } from "../../api/calls";
import { payloadOf } from "../../api/types";

// With the unparsed text of the payload.
export interface LoggedEvent extends RunEvent {
  payloadText: string;
}

export interface NodeAt {
  state: string;
  attempt: number;
  taskId: string; // empty: it has no task yet
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// The task that an event belongs to. An element of a for_each has its number next to the index of its task in the
// definition. A timeline shows it under its own name, a graph under the name of its task.
export function nodeOf(event: RunEvent): { id: string; item: number | null } | null {
  const id = textOf(payloadOf(event)["node_id"]);
  if (id === "") return null;
  const place = payloadOf(event)["node"];
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
  step_started: "running",
  step_retrying: "retrying",
  step_completed: "completed",
  step_failed: "failed",
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
  isStopped: boolean; // tasks that still wait will not start
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
    const nodeState = textOf(payloadOf(event)["node_state"]);
    const hasOwn = event.type === "task_scheduled" || (event.type === "step_started" && nodeState !== "");
    const state = hasOwn ? nodeState || "pending" : stateAfter[event.type];
    if (!node || !state) continue;
    const attempt = payloadOf(event)["attempt"];
    const after = (known: NodeAt | undefined) => ({
      state,
      attempt: typeof attempt === "number" ? attempt : (known?.attempt ?? 0),
      taskId: textOf(payloadOf(event)["task_id"]) || (known?.taskId ?? ""),
    });
    const name = `${node.id}[${node.item}]`;
    if (node.item !== null) elements.set(name, after(elements.get(name)));
    // An element that begins or completes does not change the state of its for_each.
    if (node.item !== null && state !== "failed") continue;
    nodes.set(node.id, after(nodes.get(node.id)));
  }
  return { nodes, elements, isStopped };
}

function stops(event: RunEvent): boolean {
  if (payloadOf(event)["state"] === "failing") return true;
  if (event.type === "workflow_cancelled") return payloadOf(event)["requested"] !== true;
  return event.type === "workflow_failed" || event.type === "deadline_exceeded";
}

// The state of a task, also if no event names it.
export function nodeAt({ nodes, isStopped }: RunAt, id: string): NodeAt {
  return nodes.get(id) ?? { state: isStopped ? "cancelled" : "blocked", attempt: 0, taskId: "" };
}

// Failed and canceled tasks return to the state before their start.
function forgetEnds(nodes: Map<string, NodeAt>): void {
  for (const [id, node] of nodes) {
    if (node.state === "failed" || node.state === "cancelled") nodes.set(id, { ...node, state: "blocked" });
  }
}

export interface Span {
  from: number; // ms
  to: number | null; // null: still open
  state: string; // the outcome, or the current state
  what: string;
}

export interface TimelineRow {
  name: string;
  nodeId: string;
  spans: Span[];
}

const begins: Record<string, { state: string; what: string }> = {
  task_scheduled: { state: "pending", what: "waiting for a worker" },
  task_started: { state: "running", what: "attempt" },
  task_retrying: { state: "retrying", what: "waiting to retry" },
  step_started: { state: "running", what: "attempt" },
  step_retrying: { state: "retrying", what: "waiting to retry" },
  timer_set: { state: "sleeping", what: "waiting for the timer" },
  child_started: { state: "running", what: "child run" },
};
const ends: Record<string, string> = {
  task_completed: "completed",
  task_failed: "failed",
  task_cancelled: "cancelled",
  task_timed_out: "timed_out",
  lease_expired: "lease_expired",
  task_retrying: "failed",
  step_completed: "completed",
  step_failed: "failed",
  step_retrying: "failed",
  timer_fired: "completed",
  signal_consumed: "completed",
  child_finished: "completed",
  compensation_completed: "compensated",
  compensation_failed: "compensation_failed",
};

function isStepEnd(event: RunEvent): boolean {
  return event.type === "step_completed" || event.type === "step_failed";
}

// The duration of the attempt that the event ends.
function tookMs(event: RunEvent): number {
  const detail = payloadOf(event)["detail"];
  const took: unknown = typeof detail === "object" && detail !== null && "took_us" in detail ? detail.took_us : 0;
  return typeof took === "number" ? took / 1000 : 0;
}

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
    const wasRunning = last?.to === null && last.state === "running";
    if (last && last.to === null && (ends[event.type] || begins[event.type])) {
      last.to = at;
      if (last.state === "running" && ends[event.type]) last.state = ends[event.type] ?? last.state;
    }
    // A short step is written only when it ends.
    if (isStepEnd(event) && !wasRunning)
      row.spans.push({ from: at - tookMs(event), to: at, state: ends[event.type] ?? "completed", what: "attempt" });
    const isWait = payloadOf(event)["node_state"] === "waiting";
    const what = payloadOf(event)["items"] === undefined ? "waiting for a signal" : "waiting for its items";
    const begun = isWait ? { state: "sleeping", what } : begins[event.type];
    if (begun) {
      const attempt = payloadOf(event)["attempt"];
      const isAttempt = begun.what === "attempt" && typeof attempt === "number";
      row.spans.push({ from: at, to: null, state: begun.state, what: isAttempt ? `attempt ${attempt}` : begun.what });
    }
  }
  return [...rows.values()].filter((row) => row.spans.length > 0);
}
