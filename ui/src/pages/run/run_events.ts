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
    const state = nodeStateOf(event);
    if (!node || !state) continue;
    const name = elementName(node);
    if (node.item !== null) elements.set(name, nodeAfter(event, state, elements.get(name)));
    // An element that begins or completes does not change the state of its for_each.
    if (node.item !== null && state !== "failed") continue;
    nodes.set(node.id, nodeAfter(event, state, nodes.get(node.id)));
  }
  return { nodes, elements, isStopped };
}

function elementName({ id, item }: { id: string; item: number | null }): string {
  return `${id}[${item}]`;
}

// The state of a node after an event; undefined if the event does not change it.
function nodeStateOf(event: RunEvent): string | undefined {
  const nodeState = textOf(payloadOf(event)["node_state"]);
  const hasOwn = event.type === "task_scheduled" || (event.type === "step_started" && nodeState !== "");
  return hasOwn ? nodeState || "pending" : stateAfter[event.type];
}

function nodeAfter(event: RunEvent, state: string, before: NodeAt | undefined): NodeAt {
  const { attempt, task_id } = payloadOf(event);
  return {
    state,
    attempt: typeof attempt === "number" ? attempt : (before?.attempt ?? 0),
    taskId: textOf(task_id) || (before?.taskId ?? ""),
  };
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
    const name = node.item === null ? node.id : elementName(node);
    const row = rows.get(name) ?? { name, nodeId: node.id, spans: [] };
    rows.set(name, row);
    addSpans(row.spans, event);
  }
  return [...rows.values()].filter((row) => row.spans.length > 0);
}

// Closes the open span of a node and opens the next one, according to the event.
function addSpans(spans: Span[], event: RunEvent): void {
  const at = Date.parse(event.at);
  const open = spans.at(-1)?.to === null ? spans.at(-1) : undefined;
  const wasRunning = open?.state === "running";
  const outcome = ends[event.type];
  if (open && (outcome || begins[event.type])) {
    open.to = at;
    if (wasRunning && outcome) open.state = outcome;
  }
  // A short step is written only when it ends.
  if (isStepEnd(event) && !wasRunning) {
    spans.push({ from: at - tookMs(event), to: at, state: outcome ?? "completed", what: "attempt" });
  }
  const begun = begunBy(event);
  if (begun) spans.push({ from: at, to: null, ...begun });
}

function begunBy(event: RunEvent): { state: string; what: string } | undefined {
  const { node_state, items, attempt } = payloadOf(event);
  if (node_state === "waiting") {
    return { state: "sleeping", what: items === undefined ? "waiting for a signal" : "waiting for its items" };
  }
  const begun = begins[event.type];
  const isAttempt = begun?.what === "attempt" && typeof attempt === "number";
  return isAttempt ? { state: begun.state, what: `attempt ${attempt}` } : begun;
}
