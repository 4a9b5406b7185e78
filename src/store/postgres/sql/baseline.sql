-- The conventional task table that the benchmarks compare with (store/baseline.hpp), not part of the engine. One
-- table with a status column, one statement and one commit per operation. It stores for each task what the engine
-- stores for a plain one and claims in the same order, so that a ratio compares two ways of doing the same work.

-- name: baseline_create
create table if not exists public.baseline_tasks (
  id bigint generated always as identity primary key,
  status text not null,
  queue text not null,
  type text not null,
  priority int not null,
  attempt int not null,
  created_at timestamptz not null,
  available_at timestamptz not null,
  claimed_at timestamptz,
  expires_at timestamptz,
  finished_at timestamptz,
  worker text,
  payload text not null,
  output text
);
create index if not exists baseline_pending on public.baseline_tasks (queue, priority desc, available_at, id)
  where status = 'pending';
create index if not exists baseline_leases on public.baseline_tasks (expires_at) where status = 'claimed';

-- name: baseline_enqueue
insert into public.baseline_tasks (status, queue, type, priority, attempt, created_at, available_at, payload)
values ('pending', 'default', 'bench', 0, 0, now(), now(), $1);

-- name: baseline_claim
update public.baseline_tasks set status = 'claimed', worker = 'w', attempt = attempt + 1, claimed_at = now(),
  expires_at = now() + interval '30 seconds'
where id = (
  select id from public.baseline_tasks where status = 'pending' and queue = 'default' and available_at <= now()
  order by priority desc, available_at, id limit 1 for update skip locked)
returning id, attempt, payload;

-- name: baseline_complete
update public.baseline_tasks set status = 'completed', output = 'true', finished_at = now()
where id = $1::int8 and status = 'claimed' and attempt = $2::int4;

-- name: baseline_hold_snapshot
-- only: this database because SQLite needs no statement of its own to hold a snapshot.
begin isolation level repeatable read; select count(*) from public.baseline_tasks;
