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

-- name: find_lease
select id, lane, attempt, fence, budget_from, available_at, key,
  worker_id, acquired_at, expires_at, heartbeat_at, started_at, timeout_us, timeout_at, renewals, cancel_requested
from pawl.leases where id = any($1::uuid[]) for update

-- name: update_lease
-- A renewal, a start, a request to cancel; also a lease that was given up and taken again within one group.
with changed as (
  update pawl.leases l set attempt = u.attempt, fence = u.fence, budget_from = u.budget_from,
    available_at = u.available_at, acquired_at = u.acquired_at, expires_at = u.expires_at,
    check_at = least(u.expires_at, u.timeout_at), heartbeat_at = u.heartbeat_at, started_at = u.started_at,
    timeout_at = u.timeout_at, timeout_us = u.timeout_us, renewals = u.renewals,
    cancel_requested = u.cancel_requested, worker_id = u.worker_id
  from unnest($1::uuid[], $2::int4[], $3::int8[], $4::int4[], $5::timestamptz[], $6::timestamptz[],
    $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::int8[], $12::int4[],
    $13::bool[], $14::text[], $15::int8[])
    u(id, attempt, fence, budget_from, available_at, acquired_at, expires_at, heartbeat_at, started_at,
      timeout_at, timeout_us, renewals, cancel_requested, worker_id, fence_before)
  where l.id = u.id and l.fence = u.fence_before returning 1
)
select pawl.expect_rows(count(*), $16::int8) from changed

-- name: delete_lease
with gone as (
  delete from pawl.leases l using unnest($1::uuid[], $2::int8[]) u(id, fence)
  where l.id = u.id and l.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $3::int8) from gone

-- name: list_due_leases
select id, fence, check_at from pawl.leases
where check_at >= $1::timestamptz and check_at <= $2::timestamptz
order by check_at, id limit $3::int8
