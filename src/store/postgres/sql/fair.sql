-- What is shared by turns: whose tasks are, which turns were given, and the ready ones in their order.

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
-- In order, as every statement that locks more than one row. What follows it in the pipeline sees what the one who
-- held the lock has written.
select lane, last from pawl.fair_lanes where lane = any($1::int4[]) order by lane for update

-- name: find_fair_key
select k.lane, k.key, k.next, k.next_return
from (select unnest($1::int4[]) as lane, unnest($2::text[]) as key) u cross join lateral (
  select k.lane, k.key, k.next, k.next_return from pawl.fair_keys k
  where k.lane = u.lane and k.key = u.key offset 0) k

-- name: find_first_turn
-- Looked for from where live entries begin.
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
-- Of a lane where nothing is claimable, a handful at a time, but for those that are written next.
delete from pawl.fair_keys where ctid = any(array(
  select ctid from pawl.fair_keys where lane = $1::int4 and key <> all($2::text[]) limit 1000))

-- name: insert_fair_ready
insert into pawl.ready (id, lane, attempt, fence, budget_from, available_at, turn)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[]), unnest($7::int8[])

-- name: take_fair_ready
-- As take_ready, by turn.
with taken as materialized (
  select ctid as address from pawl.ready
  where lane = $1::int4 and turn is not null and (turn, id) >= ($2::int8, $3::uuid)
  order by turn, id limit $4::int8
  for update skip locked
)
delete from pawl.ready r using taken where r.ctid = taken.address
returning r.id, r.lane, coalesce(r.attempt, 0), coalesce(r.fence, 0), coalesce(r.budget_from, 0), r.available_at, r.turn

-- name: take_fair_ready_of_lanes
-- only: this database because SQLite takes lane by lane.
-- From each lane as many as its own share: lanes are not in one order.
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

-- name: list_fair_heads
-- only: this database because SQLite has no dead index entries.
-- Where live entries begin, from the very start of each lane.
select l.lane, r.turn, r.id from (select unnest($1::int4[]) as lane) l cross join lateral (
  select r.turn, r.id from pawl.ready r where r.lane = l.lane and r.turn is not null order by r.turn, r.id limit 1
) r
