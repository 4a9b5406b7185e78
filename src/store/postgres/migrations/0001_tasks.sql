-- A task is kept as facts in narrow tables: what was asked (tasks) never changes; where it stands now is one row in
-- one of ready, scheduled, waiting, leases and finished. Ids are UUIDv7, so that they sort by creation. There are no
-- foreign keys: each would cost a look-up and a row lock for every row that is written. Each column that holds a value
-- costs as well, so what is the same for nearly all rows is null, and said beside the column.

-- Where claimable tasks of one kind stand in line. Never changed and never deleted: ids are given in the order in
-- which they are seen, so that "above the last one I know" finds the new ones.
create table pawl.lanes (
  id int primary key,
  namespace text collate "C" not null,
  queue text collate "C" not null,
  type text collate "C" not null,
  priority int not null,
  unique (namespace, queue, type, priority)
);

create table pawl.tasks (
  id uuid primary key,
  created_at timestamptz not null,
  timeout_us bigint,
  lane int not null,
  key text collate "C",
  idempotency_key text collate "C",
  retry text,
  labels text,
  payload text
);

-- Costs tasks without a key nothing.
create index tasks_by_key on pawl.tasks (key, id) where key is not null;

create table pawl.ready (
  id uuid primary key,
  available_at timestamptz not null,
  lane int not null,
  fence bigint,  -- null: 0
  attempt int,  -- null: 0
  budget_from int  -- null: 0
);

create unique index ready_in_line on pawl.ready (lane, available_at, id);

-- Apart from the ready ones: a claim must not walk past what is not due yet.
create table pawl.scheduled (
  id uuid primary key,
  available_at timestamptz not null,
  fence bigint not null,
  lane int not null,
  attempt int not null,
  budget_from int not null
);

create unique index scheduled_by_time on pawl.scheduled (available_at, id);

-- Tasks of one key that stand behind the head of their line. Who moves one holds its line's row locked.
create table pawl.waiting (
  id uuid not null unique,
  available_at timestamptz not null,
  fence bigint not null,
  position bigint not null,
  lane int not null,
  attempt int not null,
  budget_from int not null,
  namespace text collate "C" not null,
  queue text collate "C" not null,
  key text collate "C" not null,
  primary key (namespace, queue, key, position)
);

-- The key is here too, so that ending an attempt needs no look at the task's facts. `check_at` is when the sweep is
-- to look: the expiry or the attempt's timeout, whichever is first.
create table pawl.leases (
  id uuid primary key,
  available_at timestamptz not null,
  fence bigint not null,
  acquired_at timestamptz not null,
  check_at timestamptz not null,
  lane int not null,
  worker_id text not null,
  expires_at timestamptz,  -- null: check_at
  heartbeat_at timestamptz,
  started_at timestamptz,
  timeout_at timestamptz,
  timeout_us bigint,
  attempt int,  -- null: 1
  budget_from int,  -- null: 0
  renewals int,  -- null: 0
  cancel_requested boolean,  -- null: false
  key text collate "C"
);

create index leases_by_time on pawl.leases (check_at);

create table pawl.finished (
  id uuid primary key,
  available_at timestamptz not null,
  finished_at timestamptz not null,
  claimed_at timestamptz,
  started_at timestamptz,
  lane int not null,
  status text not null,
  worker_id text,
  output text,
  error text,
  fence bigint,  -- null: 1
  end_fence bigint,  -- null: 1
  attempt int,  -- null: 1
  budget_from int  -- null: 0
);

-- What a list of failures is read from; completed tasks, the many, cost it nothing.
create index finished_not_completed on pawl.finished (id) where status <> 'completed';

-- One claim of a task to its end, for those that did not complete.
create table pawl.attempts (
  task_id uuid not null,
  fence bigint not null,
  claimed_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz not null,
  attempt int not null,
  outcome text not null,
  status_after text not null,
  worker_id text not null,
  error text,
  primary key (task_id, fence)
);

-- Idempotent enqueue; only tasks that have such a key.
create table pawl.task_keys (
  namespace text collate "C" not null,
  type text collate "C" not null,
  key text collate "C" not null,
  task_id uuid not null,
  primary key (namespace, type, key)
);

-- Who is first in the line of a key, and the position given last. A row without a head only exists inside the
-- transaction that locks a new line.
create table pawl.key_lines (
  namespace text collate "C" not null,
  queue text collate "C" not null,
  key text collate "C" not null,
  head uuid,
  tail bigint not null,
  primary key (namespace, queue, key)
);

create table pawl.queues (
  namespace text collate "C" not null,
  name text collate "C" not null,
  paused boolean not null,
  max_concurrency bigint,
  type_concurrency text,
  rate_limit bigint,
  rate_per_us bigint,
  rate_spent_until timestamptz not null,
  primary key (namespace, name)
);

-- Changes, not totals: a row a lane in each group, added up by readers and folded by maintenance. A row of totals
-- would make every commit of a lane wait for the one before it.
create table pawl.lane_counts (
  seq bigint generated always as identity primary key,
  pending bigint not null,
  scheduled bigint not null,
  blocked bigint not null,
  claimed bigint not null,
  running bigint not null,
  dead_letter bigint not null,
  lane int not null
);

-- Evidence, append-only.
create table pawl.checkpoints (
  owner uuid not null,
  sequence bigint not null,
  created_at timestamptz not null,
  type text not null,
  metadata text,
  snapshot text,
  primary key (owner, sequence)
);

-- A guard of a pipeline: the statements and the COMMIT behind it are sent with it and must not run when a row was
-- not where it was loaded. The code is that of a serialization failure, since that is what it is.
create function pawl.expect_rows(actual bigint, expected bigint) returns void language plpgsql as $$
begin
  if actual <> expected then
    raise exception 'a task moved since it was loaded' using errcode = 'serialization_failure';
  end if;
end
$$;

-- Queues live by dead rows being cleared early, whatever the size of the table.
alter table pawl.ready set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.leases set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.scheduled set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.waiting set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.key_lines set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.lane_counts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
