-- name: insert_ready
insert into pawl.ready (id, lane, attempt, fence, budget_from, available_at)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[])

-- name: insert_new_ready
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_ready: tasks that were never claimed.
insert into pawl.ready (id, lane, available_at)
select unnest($1::uuid[]), unnest($2::int4[]), $3::timestamptz

-- name: find_ready
-- In order, like every statement that locks more than one row. A locked row keeps its address, by which it is then
-- deleted.
select id, lane, coalesce(attempt, 0), coalesce(fence, 0), coalesce(budget_from, 0), available_at, ctid
from pawl.ready where id = any($1::uuid[]) order by id for update

-- name: delete_ready
-- The guard is part of the statement, so that nothing can change between a check and the delete.
with gone as (
  delete from pawl.ready r using (
    select unnest($1::tid[]) as address, unnest($2::uuid[]) as id, unnest($3::int8[]) as fence) u
  where r.ctid = u.address and r.id is not distinct from u.id and coalesce(r.fence, 0) = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: take_ready
-- One statement, because between a SELECT and a DELETE another node could claim the same row. Rows are locked first,
-- since a DELETE cannot skip rows that another node is claiming. They are deleted by address, which a locked row
-- keeps.
with taken as materialized (
  select ctid as address from pawl.ready
  where lane = $1::int4 and (available_at, id) >= ($2::timestamptz, $3::uuid)
  order by available_at, id limit $4::int8
  for update skip locked
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at

-- name: take_ready_of_lanes
-- only: this database because SQLite takes from one lane at a time.
-- Lanes of one priority, in time order over all of them. The first step locks nothing and counts how many of the
-- first $5 tasks each lane has. Only that many are then locked, since a locked row is hidden from other nodes.
with lanes as materialized (
  select unnest($1::int4[]) as lane, unnest($2::timestamptz[]) as mark_at, unnest($3::uuid[]) as mark_id,
    unnest($4::int8[]) as most
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
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at

-- name: list_ready_heads
-- only: this database because SQLite has no dead index entries.
-- The first live entry of each lane, read from the start of the lane.
select l.lane, r.available_at, r.id from (select unnest($1::int4[]) as lane) l cross join lateral (
  select r.available_at, r.id from pawl.ready r where r.lane = l.lane order by r.available_at, r.id limit 1
) r

-- name: vacuum
-- only: this database because SQLite reuses deleted rows immediately.
-- Not in a transaction. The index is cleaned whatever its share of dead entries, because claims scan them.
vacuum (truncate false, index_cleanup on, skip_locked, parallel 0)
  pawl.ready, pawl.leases, pawl.scheduled, pawl.lane_counts, pawl.waiting, pawl.key_lines,
  pawl.fair_lanes, pawl.fair_keys
