-- Fair lanes: the fairness keys of tasks, the turns given, and the ready tasks in the order of their turns.

-- name: insert_fair_task
insert into pawl.fair_tasks (task_id, key, weight)
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::float8[])

-- name: find_fair_task
select task_id, key, weight from pawl.fair_tasks where task_id = any($1::uuid[])

-- name: create_fair_lane
-- only: this database because SQLite has one writer and needs no row to lock.
insert into pawl.fair_lanes (lane, last) select unnest($1::int4[]), 0 on conflict do nothing

-- name: erase_fair_tasks
delete from pawl.fair_tasks where task_id = any($1::uuid[])

-- name: find_fair_lane
-- In order, like every statement that locks more than one row. The statements after it in the pipeline see what the
-- previous holder of the lock has written.
select lane, last from pawl.fair_lanes where lane = any($1::int4[]) order by lane for update

-- name: find_fair_key
select k.lane, k.key, k.next, k.next_return
from (select unnest($1::int4[]) as lane, unnest($2::text[]) as key) u cross join lateral (
  select k.lane, k.key, k.next, k.next_return from pawl.fair_keys k
  where k.lane = u.lane and k.key = u.key offset 0) k

-- name: find_first_turn
-- Starts at the mark where live entries begin.
select l.lane, r.turn from (select unnest($1::int4[]) as lane, unnest($2::int8[]) as mark) l cross join lateral (
  select r.turn from pawl.ready r where r.lane = l.lane and r.turn is not null and r.turn >= l.mark
  order by r.turn, r.id limit 1) r

-- name: put_fair_lane
update pawl.fair_lanes l set last = u.last
from (select unnest($1::int4[]) as lane, unnest($2::int8[]) as last) u where l.lane = u.lane

-- name: put_fair_key
insert into pawl.fair_keys (lane, key, next, next_return)
select unnest($1::int4[]), unnest($2::text[]), unnest($3::int8[]), unnest($4::int8[])
on conflict (lane, key) do update set next = excluded.next, next_return = excluded.next_return

-- name: forget_fair_keys
-- For a lane where nothing is claimable, in small batches, except for keys that are written next.
delete from pawl.fair_keys where ctid = any(array(
  select ctid from pawl.fair_keys where lane = $1::int4 and key <> all($2::text[]) limit 1000))

-- name: insert_fair_ready
insert into pawl.ready (id, lane, attempt, fence, budget_from, available_at, turn)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[]), unnest($7::int8[])

-- name: take_fair_ready
-- Like take_ready, by turn.
with taken as materialized (
  select ctid as address from pawl.ready
  where lane = $1::int4 and turn is not null and (turn, id) >= ($2::int8, $3::uuid)
  order by turn, id limit $4::int8
  for update skip locked
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at, r.turn

-- name: take_fair_ready_of_lanes
-- only: this database because SQLite takes from one lane at a time.
-- Takes its own share from each lane, because lanes have no common order.
with taken as materialized (
  select r.address from (
    select unnest($1::int4[]) as lane, unnest($2::int8[]) as mark, unnest($3::uuid[]) as mark_id,
      unnest($4::int8[]) as share
  ) l cross join lateral (
    select r.ctid as address from pawl.ready r
    where r.lane = l.lane and r.turn is not null and (r.turn, r.id) >= (l.mark, l.mark_id)
    order by r.turn, r.id limit l.share
    for update skip locked
  ) r
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at, r.turn

-- name: take_ranked_ready
-- only: this database because SQLite takes from one lane at a time.
-- Like take_ready_of_lanes, by turns, which have the same meaning in all of these lanes.
with lanes as materialized (
  select unnest($1::int4[]) as lane, unnest($2::int8[]) as most
), head as (
  select l.lane from lanes l cross join lateral (
    select r.turn, r.id from pawl.ready r where r.lane = l.lane and r.turn is not null
    order by r.turn, r.id limit l.most
  ) r
  order by r.turn, r.id limit $3::int8
), shares as materialized (
  select lane, count(*) as share from head group by lane
), taken as materialized (
  select r.address from shares s cross join lateral (
    select r.ctid as address from pawl.ready r where r.lane = s.lane and r.turn is not null
    order by r.turn, r.id limit s.share
    for update skip locked
  ) r
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at, r.turn

-- name: list_fair_heads
-- only: this database because SQLite has no dead index entries.
-- The first live entry of each lane, read from the start of the lane.
select l.lane, r.turn, r.id from (select unnest($1::int4[]) as lane) l cross join lateral (
  select r.turn, r.id from pawl.ready r where r.lane = l.lane and r.turn is not null order by r.turn, r.id limit 1
) r
