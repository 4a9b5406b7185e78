-- name: insert_ready
insert into pawl.ready (id, lane, attempt, fence, budget_from, available_at)
select * from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int8[], $5::int4[], $6::timestamptz[])

-- name: insert_new_ready
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_ready: tasks that nobody claimed yet.
insert into pawl.ready (id, lane, attempt, fence, budget_from, available_at)
select u.id, u.lane, 0, 0, 0, $3::timestamptz from unnest($1::uuid[], $2::int4[]) u(id, lane)

-- name: find_ready
-- In order, as every statement that locks more than one row. A locked row keeps its address, by which it is then
-- deleted.
select id, lane, attempt, fence, budget_from, available_at, ctid
from pawl.ready where id = any($1::uuid[]) order by id for update

-- name: delete_ready
-- The guard is in the statement itself: nothing can come between looking and deleting.
with gone as (
  delete from pawl.ready r using unnest($1::tid[], $2::uuid[], $3::int8[]) u(address, id, fence)
  where r.ctid = u.address and r.id is not distinct from u.id and r.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: take_ready
-- One statement: between a SELECT and a DELETE another node could claim the same row. Rows are locked first, since
-- a DELETE cannot skip those that another node is claiming; they are deleted by address, which a locked row keeps.
with taken as materialized (
  select ctid as address from pawl.ready
  where lane = $1::int4 and (available_at, id) >= ($2::timestamptz, $3::uuid)
  order by available_at, id limit $4::int8
  for update skip locked
), gone as (
  delete from pawl.ready r using taken where r.ctid = taken.address
  returning r.id, r.lane, r.attempt, r.fence, r.budget_from, r.available_at
)
select g.id, g.lane, g.attempt, g.fence, g.budget_from, g.available_at,
  t.created_at, t.timeout_us, t.key, t.idempotency_key, t.retry, t.labels, t.payload
from gone g cross join lateral (select * from pawl.tasks t where t.id = g.id offset 0) t

-- name: take_ready_of_lanes
-- only: this database because SQLite takes lane by lane.
-- Lanes of one priority, in order of time over all of them. The first look locks nothing and says how many each
-- lane has among the first $5; only so many are then locked, since a locked row is hidden from other nodes.
with lanes as materialized (
  select * from unnest($1::int4[], $2::timestamptz[], $3::uuid[], $4::int8[]) l(lane, mark_at, mark_id, most)
), head as (
  select l.lane from lanes l cross join lateral (
    select r.available_at, r.id from pawl.ready r
    where r.lane = l.lane and (r.available_at, r.id) >= (l.mark_at, l.mark_id)
    order by r.available_at, r.id limit l.most
  ) r
  order by r.available_at, r.id limit $5::int8
), shares as materialized (
  select lane, count(*) as share from head group by lane
), taken as materialized (
  select r.address from shares s join lanes l on l.lane = s.lane cross join lateral (
    select r.ctid as address from pawl.ready r
    where r.lane = l.lane and (r.available_at, r.id) >= (l.mark_at, l.mark_id)
    order by r.available_at, r.id limit s.share
    for update skip locked
  ) r
), gone as (
  delete from pawl.ready r using taken where r.ctid = taken.address
  returning r.id, r.lane, r.attempt, r.fence, r.budget_from, r.available_at
)
select g.id, g.lane, g.attempt, g.fence, g.budget_from, g.available_at,
  t.created_at, t.timeout_us, t.key, t.idempotency_key, t.retry, t.labels, t.payload
from gone g cross join lateral (select * from pawl.tasks t where t.id = g.id offset 0) t

-- name: list_ready_heads
-- only: this database because SQLite has no dead index entries.
-- Where live entries begin, from the very start of each lane.
select l.lane, r.available_at, r.id from unnest($1::int4[]) l(lane) cross join lateral (
  select r.available_at, r.id from pawl.ready r where r.lane = l.lane order by r.available_at, r.id limit 1
) r

-- name: vacuum
-- only: this database because SQLite reuses deleted rows at once.
-- Not in a transaction. The index is cleaned whatever its share of dead entries: claims walk over them.
vacuum (truncate false, index_cleanup on, skip_locked, parallel 0)
  pawl.ready, pawl.leases, pawl.scheduled, pawl.lane_counts, pawl.waiting, pawl.key_lines
