-- name: insert_lease
insert into pawl.leases (id, lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, check_at,
  heartbeat_at, started_at, timeout_at, timeout_us, renewals, cancel_requested, worker_id, key)
select u.id, u.lane, u.attempt, u.fence, u.budget_from, u.available_at, u.acquired_at, u.expires_at,
  least(u.expires_at, u.timeout_at), u.heartbeat_at, u.started_at, u.timeout_at, u.timeout_us, u.renewals,
  u.cancel_requested, u.worker_id, u.key
from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int8[], $5::int4[], $6::timestamptz[], $7::timestamptz[],
  $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::int8[], $13::int4[],
  $14::bool[], $15::text[], $16::text[])
  u(id, lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, heartbeat_at, started_at,
    timeout_at, timeout_us, renewals, cancel_requested, worker_id, key)

-- name: insert_first_lease
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_lease: a task that has no key and no timeout, claimed for the first time.
insert into pawl.leases (id, lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, check_at,
  renewals, cancel_requested, worker_id)
select u.id, u.lane, 1, 1, 0, u.available_at, $6::timestamptz, u.expires_at, u.expires_at, 0, false, u.worker_id
from unnest($1::uuid[], $2::int4[], $3::timestamptz[], $4::timestamptz[], $5::text[])
  u(id, lane, available_at, expires_at, worker_id)

-- name: find_lease
select id, lane, attempt, fence, budget_from, available_at, key,
  worker_id, acquired_at, expires_at, heartbeat_at, started_at, timeout_us, timeout_at, renewals, cancel_requested,
  ctid
from pawl.leases where id = any($1::uuid[]) order by id for update

-- name: update_lease
-- A renewal, a start, a request to cancel; also a lease that was given up and taken again within one group.
with changed as (
  update pawl.leases l set attempt = u.attempt, fence = u.fence, budget_from = u.budget_from,
    available_at = u.available_at, acquired_at = u.acquired_at, expires_at = u.expires_at,
    check_at = least(u.expires_at, u.timeout_at), heartbeat_at = u.heartbeat_at, started_at = u.started_at,
    timeout_at = u.timeout_at, timeout_us = u.timeout_us, renewals = u.renewals,
    cancel_requested = u.cancel_requested, worker_id = u.worker_id
  from unnest($1::tid[], $2::uuid[], $3::int8[], $4::int4[], $5::int8[], $6::int4[], $7::timestamptz[],
    $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::int8[],
    $14::int4[], $15::bool[], $16::text[])
    u(address, id, fence_before, attempt, fence, budget_from, available_at, acquired_at, expires_at, heartbeat_at,
      started_at, timeout_at, timeout_us, renewals, cancel_requested, worker_id)
  where l.ctid = u.address and l.id is not distinct from u.id and l.fence = u.fence_before returning 1
)
select pawl.expect_rows(count(*), $17::int8) from changed

-- name: delete_lease
with gone as (
  delete from pawl.leases l using unnest($1::tid[], $2::uuid[], $3::int8[]) u(address, id, fence)
  where l.ctid = u.address and l.id is not distinct from u.id and l.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: complete_lease
-- only: this database because what the lease holds need not travel to the client and back.
-- The common case of delete_lease and insert_finished: at the fence it was loaded at, the lease's own row says who
-- held it since when. Only the start may have come in the same group, and the output.
with gone as (
  delete from pawl.leases l
  using unnest($1::tid[], $2::uuid[], $3::int8[], $4::timestamptz[], $5::text[])
    u(address, id, fence, started_at, output)
  where l.ctid = u.address and l.id is not distinct from u.id and l.fence = u.fence
  returning l.id, l.lane, l.attempt, l.fence, l.budget_from, l.available_at, l.worker_id, l.acquired_at,
    u.started_at, u.output
), ended as (
  insert into pawl.finished (id, lane, attempt, fence, budget_from, available_at, status, worker_id, end_fence,
    claimed_at, started_at, finished_at, output)
  select id, lane, attempt, fence, budget_from, available_at, 'completed', worker_id, fence, acquired_at, started_at,
    $6::timestamptz, output
  from gone returning 1
)
select pawl.expect_rows(count(*), $7::int8) from ended

-- name: list_due_leases
select id, fence, check_at from pawl.leases
where check_at >= $1::timestamptz and check_at <= $2::timestamptz
order by check_at, id limit $3::int8
