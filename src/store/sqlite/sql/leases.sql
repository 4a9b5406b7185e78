-- name: insert_lease
insert or rollback into leases
  (id, lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, renewals, cancel_requested,
   heartbeat_at, started_at, timeout_us, timeout_at, key, worker_id, run_id)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_lease
select lane, attempt, fence, budget_from, available_at, acquired_at, expires_at, renewals, cancel_requested,
  heartbeat_at, started_at, timeout_us, timeout_at, key, worker_id
from leases where id = ?

-- name: update_lease
-- A renewal, a start or a cancel request, or a lease that was released and claimed again within one group.
update leases set
  attempt = ?, fence = ?, budget_from = ?, available_at = ?, acquired_at = ?, expires_at = ?, renewals = ?,
  cancel_requested = ?, heartbeat_at = ?, started_at = ?, timeout_us = ?, timeout_at = ?, worker_id = ?
where id = ? and fence = ?

-- name: delete_lease
delete from leases where id = ? and fence = ?

-- name: list_due_leases
select id, fence from leases
where expires_at <= ?1 or timeout_at <= ?1
order by min(expires_at, ifnull(timeout_at, expires_at)), id limit ?2

-- name: count_held
-- Looks up each lane once, not once per lease.
select coalesce(sum(l.held), 0) from (
  select lane, count(*) as held from leases where worker_id = ?2 group by lane) l
join lanes n on n.id = l.lane where n.namespace = ?1

-- name: count_claimed
-- The leases of a run that have not started.
select count(*) from leases where run_id = ? and started_at is null
