// The server's responses: docs/reference/http.md as types. User values (payload, input, output) are omitted: pages show
// them as received text (text/json_text.ts), since parsing would change large numbers.

export type TaskStatus =
  "blocked" | "pending" | "claimed" | "running" | "completed" | "failed" | "dead_letter" | "cancelled";

export const taskStatuses: readonly TaskStatus[] = [
  "pending",
  "blocked",
  "claimed",
  "running",
  "completed",
  "failed",
  "dead_letter",
  "cancelled",
];

export interface Failure {
  code: string;
  message: string;
  retryable: boolean;
}

export interface Lease {
  worker_id: string;
  fence: number;
  acquired_at: string;
  expires_at: string;
  heartbeat_at: string | null;
  renewals: number;
}

export interface Task {
  id: string;
  namespace: string;
  queue: string;
  type: string;
  status: TaskStatus;
  priority: number;
  key: string | null;
  idempotency_key: string | null;
  error: Failure | null;
  attempt: number;
  retry: { max_attempts: number };
  timeout: string | null;
  run_id: string | null;
  node_id: string | null;
  labels: Record<string, string>;
  cancel_requested: boolean;
  lease: Lease | null;
  available_at: string;
  created_at: string;
  claimed_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  updated_at: string;
}

export interface Attempt {
  attempt: number;
  execution_key: string;
  worker_id: string;
  fence: number;
  claimed_at: string;
  started_at: string | null;
  finished_at: string | null;
  outcome: string | null;
  error: Failure | null;
}

export interface TaskWithAttempts extends Task {
  attempts: Attempt[];
}

export interface QueueCounts {
  pending: number;
  scheduled: number;
  blocked: number;
  claimed: number;
  running: number;
  dead_letter: number;
}

export interface Queue {
  name: string;
  paused: boolean;
  max_concurrency: number | null;
  type_concurrency: Record<string, number>;
  rate: { limit: number; per: string } | null;
  counts: QueueCounts;
  oldest_pending_age: string | null;
}

export interface Worker {
  worker_id: string;
  status: "online" | "draining" | "offline";
  queues: string[];
  task_types: string[];
  workflow_types: string[];
  hostname: string;
  pid: number;
  version: string;
  max_concurrent: number;
  labels: Record<string, string>;
  active_count: number;
  total_completed: number;
  total_failed: number;
  registered_at: string;
  heartbeat_at: string;
}

export interface Node {
  node_id: string;
  hostname: string;
  started_at: string;
  heartbeat_at: string;
  is_leader: boolean;
  leader_until: string | null;
  term: number | null;
  version: string;
}

export type RunState =
  | "created"
  | "running"
  | "sleeping"
  | "paused"
  | "completing"
  | "completed"
  | "failing"
  | "failed"
  | "compensating"
  | "compensated"
  | "compensation_failed"
  | "cancelled";

export const runStates: readonly RunState[] = [
  "running",
  "sleeping",
  "paused",
  "completed",
  "failing",
  "failed",
  "compensating",
  "compensated",
  "compensation_failed",
  "cancelled",
];

export interface Run {
  id: string;
  namespace: string;
  workflow: string;
  version: number | null;
  kind: "graph" | "code" | "open";
  run_key: string | null;
  state: RunState;
  custom_status: string | null;
  error: Failure | null;
  compensation_error?: Failure; // for compensation_failed: what is not undone, and why
  parent: { run_id: string; node_id: string } | null;
  continued_from?: string; // the previous run in a chain of continue_as_new
  continued_as?: string; // the next run
  deadline_at: string | null;
  wake_at: string | null;
  labels: Record<string, string>;
  sequence: number;
  counts: Record<string, number>;
  retrying?: number; // failed tasks that wait for a retry; absent if there are none
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  updated_at: string;
}

export interface RunTask {
  id: string;
  node_id: string;
  item: number | null;
  type: NodeType;
  state: string;
  task_id: string | null;
  child_run_id: string | null;
  attempt: number;
  error: Failure | null;
  items: { total: number; left: number; failed: number } | null;
  due_at: string | null;
  scheduled_at: string | null;
  finished_at: string | null;
}

export interface RunWithTasks extends Run {
  tasks: RunTask[];
}

export interface RunEvent {
  sequence: number;
  event_id: string;
  type: string;
  at: string;
  payload: Record<string, unknown> | null;
  caused_by: number | null;
  actor: { type: string; id: string | null };
}

export interface Replay {
  state: Run;
  matches: boolean;
  differences: string[];
}

export type NodeType = "activity" | "compensation" | "sleep" | "signal" | "workflow";

export interface RunGraph {
  nodes: { id: string; type: NodeType; state: string; task_id: string | null; attempt: number }[];
  edges: { from: string; to: string }[];
}

export interface DefinitionTask {
  id: string;
  type?: NodeType;
  activity?: string;
  signal?: string;
  workflow?: string;
  duration?: string;
  after?: string[];
  compensate?: string;
}

export interface DefinitionRow {
  name: string;
  version: number;
  hash: string;
  created_at: string;
}

export interface DefinitionVersion extends DefinitionRow {
  definition: { tasks: DefinitionTask[]; deadline?: string; on_failure?: string };
}

export type Overlap = "allow" | "skip" | "queue" | "cancel_previous";

export const overlaps: readonly Overlap[] = ["allow", "skip", "queue", "cancel_previous"];

export type DstGap = "shift" | "skip";
export type DstFold = "first" | "last" | "both";

export const dstGaps: readonly DstGap[] = ["shift", "skip"];
export const dstFolds: readonly DstFold[] = ["first", "last", "both"];

export interface Schedule {
  id: string;
  name: string;
  cron: string | null;
  every: string | null;
  timezone: string;
  workflow: string | null;
  task: { type: string; queue?: string } | null;
  queue: string | null;
  enabled: boolean;
  dst: { gap: DstGap; fold: DstFold };
  max_catchup: number;
  overlap: Overlap;
  jitter: string;
  start_at: string | null;
  end_at: string | null;
  next_fire_at: string | null;
  last_fired_at: string | null;
  created_at: string;
  updated_at: string;
}

// A past slot and its outcome.
export interface Firing {
  schedule: string;
  fire_at: string;
  until: string | null;
  origin: "slot" | "trigger" | "backfill";
  status: "waiting" | "fired" | "skipped";
  reason: string | null;
  run_id: string | null;
  task_id: string | null;
  updated_at: string;
}

export interface Backfilled {
  dry_run: boolean;
  count: number;
  times: string[];
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

export interface BulkResult {
  matched: number;
  changed: number;
}
