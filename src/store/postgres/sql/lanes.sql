-- name: list_lanes_from
-- only: this database because a SQLite file does not lose lanes while a process has it open.
-- Includes the last cached lane, which shows whether the database still has what was read before. Returns at least
-- one row.
select l.id, l.namespace, l.queue, l.type, l.priority, l.of_runs, l.fair, k.last_known
from (select $1::int4 as last_known) k
left join lateral (select * from pawl.lanes l where l.id >= k.last_known order by l.id offset 0) l on true

-- name: lock_lanes
-- only: this database because SQLite has one writer.
-- Held until the commit has ended, so that no node sees a lane before all those with lower ids.
lock table pawl.lanes in share row exclusive mode

-- name: insert_lane
insert into pawl.lanes (id, namespace, queue, type, priority, of_runs, fair)
select (select coalesce(max(id), 0) from pawl.lanes) + row_number() over (),
  u.namespace, u.queue, u.type, u.priority, u.of_runs, u.fair
from (select unnest($1::text[]) as namespace, unnest($2::text[]) as queue, unnest($3::text[]) as type,
  unnest($4::int4[]) as priority, unnest($5::bool[]) as of_runs,
  unnest($6::bool[]) as fair) u
where not exists (
  select from pawl.lanes l
  where l.namespace = u.namespace and l.queue = u.queue and l.type = u.type and l.priority = u.priority
    and l.of_runs = u.of_runs and l.fair = u.fair)

-- name: add_lane_counts
insert into pawl.lane_counts (lane, pending, scheduled, blocked, claimed, running, dead_letter)
select unnest($1::int4[]), unnest($2::int8[]), unnest($3::int8[]), unnest($4::int8[]), unnest($5::int8[]),
  unnest($6::int8[]), unnest($7::int8[])

-- name: find_held
select lane, sum(claimed + running)::bigint from pawl.lane_counts
where seq >= $2::int8 and lane = any($1::int4[]) group by lane

-- name: list_lane_counts
-- The last column is the first claimable task of each lane, read from the mark where live entries begin.
select l.lane, c.pending, c.scheduled, c.blocked, c.claimed, c.running, c.dead_letter, r.available_at
from (select unnest($1::int4[]) as lane, unnest($2::timestamptz[]) as mark_at, unnest($3::uuid[]) as mark_id) l
left join (
  select lane, sum(pending)::bigint as pending, sum(scheduled)::bigint as scheduled,
    sum(blocked)::bigint as blocked, sum(claimed)::bigint as claimed, sum(running)::bigint as running,
    sum(dead_letter)::bigint as dead_letter
  from pawl.lane_counts where seq >= $4::int8 and lane = any($1::int4[]) group by lane
) c on c.lane = l.lane
left join lateral (
  select r.available_at from pawl.ready r
  where r.lane = l.lane and (r.available_at, r.id) >= (l.mark_at, l.mark_id)
  order by r.available_at, r.id limit 1
) r on true

-- name: find_last_lane_count
-- only: this database because SQLite keeps totals.
select last_value from pawl.lane_counts_seq_seq

-- name: find_first_lane_count
-- only: this database because SQLite keeps totals.
select pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint,
  (select c.seq from pawl.lane_counts c where c.seq >= $1::int8 order by c.seq limit 1)
from pg_current_snapshot() s

-- name: fold_lane_counts
-- only: this database because SQLite keeps totals.
-- One statement, so that a reader sees either the changes or their sum. Skips rows that another node is folding.
with gone as (
  delete from pawl.lane_counts where seq in (
    select seq from pawl.lane_counts where seq >= $1::int8 order by seq limit 20000 for update skip locked)
  returning lane, pending, scheduled, blocked, claimed, running, dead_letter
)
insert into pawl.lane_counts (lane, pending, scheduled, blocked, claimed, running, dead_letter)
select lane, sum(pending), sum(scheduled), sum(blocked), sum(claimed), sum(running), sum(dead_letter)
from gone group by lane
