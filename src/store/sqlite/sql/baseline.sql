-- The conventional task table that the benchmarks compare with (store/baseline.hpp), not part of the engine. One
-- table with a status column, one statement and one commit per operation. It stores for each task what the engine
-- stores for a plain one and claims in the same order, so that a ratio compares two ways of doing the same work.

-- name: baseline_create
create table if not exists baseline_tasks (
  id integer primary key,
  status text not null,
  queue text not null,
  type text not null,
  priority integer not null,
  attempt integer not null,
  created_at integer not null,
  available_at integer not null,
  claimed_at integer,
  expires_at integer,
  finished_at integer,
  worker text,
  payload text not null,
  output text
);
create index if not exists baseline_pending on baseline_tasks (queue, priority desc, available_at, id)
  where status = 'pending';
create index if not exists baseline_leases on baseline_tasks (expires_at) where status = 'claimed';

-- name: baseline_enqueue
insert into baseline_tasks (status, queue, type, priority, attempt, created_at, available_at, payload)
values ('pending', 'default', 'bench', 0, 0, unixepoch(), unixepoch(), ?);

-- name: baseline_claim
update baseline_tasks set status = 'claimed', worker = 'w', attempt = attempt + 1, claimed_at = unixepoch(),
  expires_at = unixepoch() + 30
where id = (
  select id from baseline_tasks where status = 'pending' and queue = 'default' and available_at <= unixepoch()
  order by priority desc, available_at, id limit 1)
returning id, attempt, payload;

-- name: baseline_complete
update baseline_tasks set status = 'completed', output = 'true', finished_at = unixepoch()
where id = ? and status = 'claimed' and attempt = ?;
