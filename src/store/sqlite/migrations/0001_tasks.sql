-- A task is kept as facts in narrow tables: what was asked (tasks) never changes; where it stands now is one row in
-- one of ready, scheduled, waiting, leases and finished. Times are microseconds since 1970, ids are UUIDv7 in
-- 16 bytes, so that they sort by creation.

-- Where claimable tasks of one kind stand in line. Never changed and never deleted: ids are given in the order in
-- which they are seen, so that "above the last one I know" finds the new ones.
create table lanes (
  id integer primary key,
  namespace text not null,
  queue text not null,
  type text not null,
  priority integer not null,
  unique (namespace, queue, type, priority)
) strict;

-- The payload stands last: rows are read from the left, and a long payload spills to other pages.
create table tasks (
  seq integer primary key,
  id blob not null unique,
  lane integer not null,
  created_at integer not null,
  timeout_us integer,
  key text,
  idempotency_key text,
  retry text,
  labels text,
  payload text
) strict;

-- Costs tasks without a key nothing.
create index tasks_by_key on tasks (key, id) where key is not null;

create table ready (
  lane integer not null,
  available_at integer not null,
  id blob not null unique,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  primary key (lane, available_at, id)
) strict, without rowid;

-- Apart from the ready ones: a claim must not walk past what is not due yet.
create table scheduled (
  available_at integer not null,
  id blob not null unique,
  lane integer not null,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  primary key (available_at, id)
) strict, without rowid;

-- Tasks of one key that stand behind the head of their line.
create table waiting (
  namespace text not null,
  queue text not null,
  key text not null,
  position integer not null,
  id blob not null unique,
  lane integer not null,
  available_at integer not null,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  primary key (namespace, queue, key, position)
) strict, without rowid;

-- No index on the expiry: the table is as small as the number of tasks under way, and the sweep reads it whole.
create table leases (
  id blob not null primary key,
  lane integer not null,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  available_at integer not null,
  acquired_at integer not null,
  expires_at integer not null,
  renewals integer not null,
  cancel_requested integer not null,
  heartbeat_at integer,
  started_at integer,
  timeout_us integer,
  timeout_at integer,
  key text,
  worker_id text not null
) strict, without rowid;

-- Found through tasks. Rows are appended by number and not by id: an output may be long, and a table in the order of
-- its ids would put every row over a kilobyte on pages of its own. The id is here for the index below.
create table finished (
  seq integer primary key,
  id blob not null,
  lane integer not null,
  status text not null,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  available_at integer not null,
  end_fence integer not null,
  claimed_at integer,
  started_at integer,
  finished_at integer not null,
  worker_id text,
  error text,
  output text
) strict;

-- What a list of failures is read from; completed tasks, the many, cost it nothing.
create index finished_not_completed on finished (status, id) where status <> 'completed';

-- One claim of a task to its end, for those that did not complete.
create table attempts (
  task_id blob not null,
  fence integer not null,
  attempt integer not null,
  claimed_at integer not null,
  started_at integer,
  finished_at integer not null,
  outcome text not null,
  status_after text not null,
  worker_id text not null,
  error text,
  primary key (task_id, fence)
) strict, without rowid;

-- Idempotent enqueue; only tasks that have such a key.
create table task_keys (
  namespace text not null,
  type text not null,
  key text not null,
  task_id blob not null,
  primary key (namespace, type, key)
) strict, without rowid;

-- Who is first in the line of a key, and the position given last.
create table key_lines (
  namespace text not null,
  queue text not null,
  key text not null,
  head blob not null,
  tail integer not null,
  primary key (namespace, queue, key)
) strict, without rowid;

create table queues (
  namespace text not null,
  name text not null,
  paused integer not null,
  max_concurrency integer,
  type_concurrency text,
  rate_limit integer,
  rate_per_us integer,
  rate_spent_until integer not null,
  primary key (namespace, name)
) strict, without rowid;

create table lane_counts (
  lane integer primary key,
  pending integer not null,
  scheduled integer not null,
  blocked integer not null,
  claimed integer not null,
  running integer not null,
  dead_letter integer not null
) strict;

-- Evidence, append-only.
create table checkpoints (
  owner blob not null,
  sequence integer not null,
  type text not null,
  created_at integer not null,
  metadata text,
  snapshot text,
  primary key (owner, sequence)
) strict, without rowid;
