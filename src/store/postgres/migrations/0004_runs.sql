-- Tasks of runs stand in lanes of their own, so that every look at a task tells whether a run wants to know of it,
-- and tasks of no run pay nothing.
alter table pawl.lanes add column of_runs boolean not null default false;
alter table pawl.lanes drop constraint lanes_namespace_queue_type_priority_key;
alter table pawl.lanes add unique (namespace, queue, type, priority, of_runs);

-- What was asked of a run never changes; where it stands does, at every event.
create table pawl.runs (
  id uuid primary key,
  parent_id uuid,
  created_at timestamptz not null,
  namespace text collate "C" not null,
  workflow text collate "C" not null,
  run_key text collate "C",
  labels text,
  facts text not null
);

create index runs_by_workflow on pawl.runs (namespace, workflow, id);
create index runs_by_key on pawl.runs (namespace, run_key, id) where run_key is not null;
create index runs_by_parent on pawl.runs (parent_id, id) where parent_id is not null;

-- `deadline_at` only as long as it can be missed. `hash` is that of the last event.
create table pawl.run_states (
  id uuid primary key,
  sequence bigint not null,
  updated_at timestamptz not null,
  deadline_at timestamptz,
  state text collate "C" not null,
  hash text not null,
  standing text not null,
  output text
) with (fillfactor = 70);

create index run_states_by_state on pawl.run_states (state, id);
create index run_states_by_deadline on pawl.run_states (deadline_at, id) where deadline_at is not null;

-- Only those that an event touched. A node with a time in `timer_at` is the timer.
create table pawl.run_nodes (
  run_id uuid not null,
  timer_at timestamptz,
  node int not null,
  item int not null,
  state text not null,
  body text not null,
  output text,
  primary key (run_id, node, item)
);

create index run_nodes_by_timer on pawl.run_nodes (timer_at, run_id, node, item) where timer_at is not null;
create index run_nodes_of_run_by_timer on pawl.run_nodes (run_id, timer_at) where timer_at is not null;

-- The log, append-only. Each event has a hash that covers the one before it.
create table pawl.run_events (
  run_id uuid not null,
  sequence bigint not null,
  at timestamptz not null,
  caused_by bigint,
  type text not null,
  actor_type text not null,
  actor_id text not null,
  trace_id text not null,
  span_id text not null,
  hash text not null,
  payload text not null,
  primary key (run_id, sequence)
);

create table pawl.run_signals (
  run_id uuid not null,
  sequence bigint not null,
  consumed_node int,
  consumed_item int,
  name text collate "C" not null,
  idempotency_key text collate "C",
  payload text,
  primary key (run_id, sequence)
);

create index run_signals_unread on pawl.run_signals (run_id, name, sequence) where consumed_node is null;
create unique index run_signals_by_key on pawl.run_signals (run_id, idempotency_key)
where idempotency_key is not null;

-- Which run was started by a key, the last one.
create table pawl.run_keys (
  namespace text collate "C" not null,
  workflow text collate "C" not null,
  run_key text collate "C" not null,
  run_id uuid not null,
  primary key (namespace, workflow, run_key)
);

-- Which task of which run a task is.
create table pawl.run_tasks (
  task_id uuid primary key,
  run_id uuid not null,
  node int not null,
  item int not null,
  node_id text not null
);

create index run_tasks_by_run on pawl.run_tasks (run_id, task_id);

-- The rows of runs under way are changed over and over.
alter table pawl.run_states set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0);
alter table pawl.run_nodes set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
