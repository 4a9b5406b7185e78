-- Tasks of runs stand in lanes of their own, so that every look at a task tells whether a run wants to know of it,
-- and tasks of no run pay nothing.
create table lanes_with_runs (
  id integer primary key,
  namespace text not null,
  queue text not null,
  type text not null,
  priority integer not null,
  of_runs integer not null,
  unique (namespace, queue, type, priority, of_runs)
) strict;
insert into lanes_with_runs select id, namespace, queue, type, priority, 0 from lanes;
drop table lanes;
alter table lanes_with_runs rename to lanes;

-- What was asked of a run never changes; where it stands does, at every event. Apart, since a long input must not
-- be written again each time.
create table runs (
  id blob not null primary key,
  namespace text not null,
  workflow text not null,
  run_key text,
  parent_id blob,
  created_at integer not null,
  labels text,
  facts text not null
) strict;

create index runs_by_workflow on runs (namespace, workflow, id);
create index runs_by_key on runs (namespace, run_key, id) where run_key is not null;
create index runs_by_parent on runs (parent_id, id) where parent_id is not null;

-- `deadline_at` only as long as it can be missed. `hash` is that of the last event.
create table run_states (
  id blob not null primary key,
  state text not null,
  sequence integer not null,
  updated_at integer not null,
  deadline_at integer,
  hash text not null,
  standing text not null,
  output text
) strict;

create index run_states_by_state on run_states (state, id);
create index run_states_by_deadline on run_states (deadline_at, id) where deadline_at is not null;

-- Only those that an event touched. A node with a time in `timer_at` is the timer.
create table run_nodes (
  run_id blob not null,
  node integer not null,
  item integer not null,
  state text not null,
  timer_at integer,
  body text not null,
  output text,
  primary key (run_id, node, item)
) strict, without rowid;

create index run_nodes_by_timer on run_nodes (timer_at, run_id, node, item) where timer_at is not null;
create index run_nodes_of_run_by_timer on run_nodes (run_id, timer_at) where timer_at is not null;

-- The log, append-only. Each event has a hash that covers the one before it.
create table run_events (
  run_id blob not null,
  sequence integer not null,
  type text not null,
  at integer not null,
  caused_by integer,
  actor_type text not null,
  actor_id text not null,
  trace_id text not null,
  span_id text not null,
  hash text not null,
  payload text not null,
  primary key (run_id, sequence)
) strict;

create table run_signals (
  run_id blob not null,
  sequence integer not null,
  name text not null,
  idempotency_key text,
  consumed_node integer,
  consumed_item integer,
  payload text,
  primary key (run_id, sequence)
) strict, without rowid;

create index run_signals_unread on run_signals (run_id, name, sequence) where consumed_node is null;
create unique index run_signals_by_key on run_signals (run_id, idempotency_key) where idempotency_key is not null;

-- Which run was started by a key, the last one.
create table run_keys (
  namespace text not null,
  workflow text not null,
  run_key text not null,
  run_id blob not null,
  primary key (namespace, workflow, run_key)
) strict, without rowid;

-- Which task of which run a task is.
create table run_tasks (
  task_id blob not null primary key,
  run_id blob not null,
  node integer not null,
  item integer not null,
  node_id text not null
) strict, without rowid;

create index run_tasks_by_run on run_tasks (run_id, task_id);
