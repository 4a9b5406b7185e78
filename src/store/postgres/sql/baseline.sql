-- The classic queue table that the benchmarks compare with (store/baseline.hpp); no part of the engine.

-- name: baseline_create
create table if not exists public.baseline_tasks (
  id bigint generated always as identity primary key, status text not null, payload text not null, worker text,
  output text);
create index if not exists baseline_pending on public.baseline_tasks (id) where status = 'pending';

-- name: baseline_enqueue
insert into public.baseline_tasks (status, payload) values ('pending', $1);

-- name: baseline_claim
update public.baseline_tasks set status = 'claimed', worker = 'w'
where id = (select id from public.baseline_tasks where status = 'pending' order by id limit 1
            for update skip locked)
returning id, payload;

-- name: baseline_complete
update public.baseline_tasks set status = 'completed', output = 'null' where id = $1 and status = 'claimed';

-- name: baseline_hold_snapshot
-- only: this database because a reader of SQLite needs no statement to hold its snapshot
begin isolation level repeatable read; select count(*) from public.baseline_tasks;
