-- name: insert_lease
insert into pawl.leases (id, lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, check_at,
  heartbeat_at, started_at, timeout_at, timeout_us, renewals, cancel_requested, worker_id, key, run_id)
select u.id, u.lane, u.attempt, u.fence, u.budget_from, u.available_at, u.acquired_at, u.expires_at,
  least(u.expires_at, u.timeout_at), u.heartbeat_at, u.started_at, u.timeout_at, u.timeout_us, u.renewals,
  u.cancel_requested, u.worker_id, u.key, u.run_id
from (select unnest($1::uuid[]) as id, unnest($2::int4[]) as lane, unnest($3::int4[]) as attempt,
  unnest($4::int8[]) as fence, unnest($5::int4[]) as budget_from, unnest($6::timestamptz[]) as available_at,
  unnest($7::timestamptz[]) as acquired_at, unnest($8::timestamptz[]) as expires_at,
  unnest($9::timestamptz[]) as heartbeat_at, unnest($10::timestamptz[]) as started_at,
  unnest($11::timestamptz[]) as timeout_at, unnest($12::int8[]) as timeout_us, unnest($13::int4[]) as renewals,
  unnest($14::bool[]) as cancel_requested, unnest($15::text[]) as worker_id, unnest($16::text[]) as key,
  unnest($17::uuid[]) as run_id) u

-- name: insert_first_lease
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_lease: a task without key and timeout, claimed for the first time.
insert into pawl.leases (id, lane, fence, available_at, acquired_at, check_at, worker_id)
select unnest($1::uuid[]), unnest($2::int4[]), 1, unnest($3::timestamptz[]), $6::timestamptz, unnest($4::timestamptz[]),
  unnest($5::text[])
returning ctid

-- name: insert_first_lease_of_runs
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- Like insert_first_lease, where some of the tasks belong to runs.
insert into pawl.leases (id, lane, fence, available_at, acquired_at, check_at, worker_id, run_id)
select unnest($1::uuid[]), unnest($2::int4[]), 1, unnest($3::timestamptz[]), $6::timestamptz, unnest($4::timestamptz[]),
  unnest($5::text[]), unnest($7::uuid[])
returning ctid

-- name: count_claimed
-- The leases of each run that have not started.
select l.run_id, count(*) from pawl.leases l
where l.run_id = any($1::uuid[]) and l.started_at is null group by l.run_id

-- name: find_lease
select id, lane, coalesce(attempt, 1), fence, coalesce(budget_from, 0), available_at, key,
  worker_id, acquired_at, coalesce(expires_at, check_at), heartbeat_at, started_at, timeout_us, timeout_at,
  coalesce(renewals, 0), coalesce(cancel_requested, false), ctid
from pawl.leases where id = any($1::uuid[]) order by id for update

-- name: update_lease
-- A renewal, a start or a cancel request, or a lease that was released and claimed again within one group.
with changed as (
  update pawl.leases l set attempt = u.attempt, fence = u.fence, budget_from = u.budget_from,
    available_at = u.available_at, acquired_at = u.acquired_at, expires_at = u.expires_at,
    check_at = least(u.expires_at, u.timeout_at), heartbeat_at = u.heartbeat_at, started_at = u.started_at,
    timeout_at = u.timeout_at, timeout_us = u.timeout_us, renewals = u.renewals,
    cancel_requested = u.cancel_requested, worker_id = u.worker_id
  from (select unnest($1::tid[]) as address, unnest($2::uuid[]) as id, unnest($3::int8[]) as fence_before,
  unnest($4::int4[]) as attempt, unnest($5::int8[]) as fence, unnest($6::int4[]) as budget_from,
  unnest($7::timestamptz[]) as available_at, unnest($8::timestamptz[]) as acquired_at,
  unnest($9::timestamptz[]) as expires_at, unnest($10::timestamptz[]) as heartbeat_at,
  unnest($11::timestamptz[]) as started_at, unnest($12::timestamptz[]) as timeout_at,
  unnest($13::int8[]) as timeout_us, unnest($14::int4[]) as renewals, unnest($15::bool[]) as cancel_requested,
  unnest($16::text[]) as worker_id) u
  where l.ctid = u.address and l.id is not distinct from u.id and l.fence = u.fence_before returning 1
)
select pawl.expect_rows(count(*), $17::int8) from changed

-- name: expect_leases
-- only: this database because the other stores lock everything when a transaction begins.
-- Checks that the leases are held, and keeps them so until the commit. NOWAIT: a lease that another transaction has
-- locked may be about to change, and waiting for it with other rows locked could deadlock.
with held as (
  select 1 from pawl.leases l join (select unnest($1::tid[]) as address, unnest($2::uuid[]) as id) u
    on l.ctid = u.address and l.id is not distinct from u.id
  where l.fence = $3::int8 for share of l nowait
)
select pawl.expect_rows(count(*), $4::int8) from held

-- name: delete_lease
with gone as (
  delete from pawl.leases l using (
    select unnest($1::tid[]) as address, unnest($2::uuid[]) as id, unnest($3::int8[]) as fence) u
  where l.ctid = u.address and l.id is not distinct from u.id and l.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: list_due_leases
select id, fence, check_at from pawl.leases
where check_at >= $1::timestamptz and check_at <= $2::timestamptz
order by check_at, id limit $3::int8

-- name: count_held
-- Looks up each lane once, not once per lease.
select coalesce(sum(l.held), 0)::int8 from (
  select lane, count(*) as held from pawl.leases where worker_id = $2::text group by lane offset 0) l
join pawl.lanes n on n.id = l.lane where n.namespace = $1::text
