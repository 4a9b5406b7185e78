-- Lists of ids in order, read up to the page limit; each in both orders, as list_…_newest_first and
-- list_…_oldest_first. The values of the filter are bound, and absent ones are null:
-- $1 lanes, $2 $3 created after and before, $4 $5 label, $6 after this id, $7 limit.
-- By status, from the narrow tables that can hold it. A branch that is switched off costs nothing (a one-time
-- filter):
-- $8 ready and scheduled, $9 waiting, $10 claimed, $11 running, $12 completed, $13 other ends, $14 worker. By key:
-- $15.

-- fragment: task_is_in_lanes_and_time
t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
and ($3::timestamptz is null or t.created_at < $3)

-- fragment: task_matches
-- include: task_is_in_lanes_and_time
and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)

-- fragment: ids_in_place
-- The matching tasks of one narrow table.
(select p.id from pawl.{table} p cross join lateral (
    select from pawl.tasks t
    where t.id = p.id and
      -- include: task_matches
    offset 0) t
  where {switch}
    and p.id {beyond} coalesce($6::uuid, {end})
  order by p.id {direction} limit $7::int8)

-- fragment: has_wanted_status
-- The status of one task that is found by another index.
(($8::bool and exists (select from pawl.ready p where p.id = {task}))
  or ($8 and exists (select from pawl.scheduled p where p.id = {task}))
  or ($9::bool and exists (select from pawl.waiting p where p.id = {task}))
  or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = {task}
    and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
  or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = {task}
    and (case when p.status = 'completed' then $12 else p.status = any($13) end))))

-- name: list_all_ids
-- only: this database because SQLite's lists are assembled in code.
-- both orders
select t.id from pawl.tasks t
where t.id {beyond} coalesce($6::uuid, {end}) and
  -- include: task_matches
order by t.id {direction} limit $7::int8

-- name: list_placed_ids
-- only: this database because SQLite's lists are assembled in code.
-- both orders
select id from (
  -- include: ids_in_place | table: ready | switch: $8::bool
  union all
  -- include: ids_in_place | table: scheduled | switch: $8::bool
  union all
  -- include: ids_in_place | table: waiting | switch: $9::bool
  union all
  -- include: ids_in_place | table: leases | switch: ($10::bool or $11::bool)
  -- + and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)
  union all
  -- include: ids_in_place | table: finished | switch: $12::bool and p.status = 'completed'
  union all
  -- include: ids_in_place | table: finished | switch: cardinality($13::text[]) > 0
  -- + and p.status <> 'completed' and p.status = any($13)
) found order by id {direction} limit $7::int8

-- name: list_keyed_ids
-- only: this database because SQLite's lists are assembled in code.
-- both orders
select t.id from pawl.tasks t
where t.key = $15::text and t.id {beyond} coalesce($6::uuid, {end}) and
  -- include: task_matches
  and
  -- include: has_wanted_status | task: t.id
order by t.id {direction} limit $7::int8

-- name: list_labeled_ids
-- only: this database because SQLite's lists are assembled in code.
-- both orders
-- The tasks with one label in the namespace $15.
select x.id from pawl.task_labels x cross join lateral (
  select from pawl.tasks t where t.id = x.id and
    -- include: task_is_in_lanes_and_time
    and t.labels::jsonb ->> $4::text = $5::text
  offset 0) t
where x.namespace = $15::text and x.label = left($4 || '=' || $5, 200)
  and x.id {beyond} coalesce($6::uuid, {end}) and
  -- include: has_wanted_status | task: x.id
order by x.namespace {direction}, x.label {direction}, x.id {direction} limit $7::int8

-- name: list_run_ids
-- only: this database because SQLite's lists are assembled in code.
-- both orders
-- The tasks of the run $15, with the key $16 if given.
select x.task_id from pawl.run_tasks x cross join lateral (
  select from pawl.tasks t where t.id = x.task_id and ($16::text is null or t.key = $16) and
    -- include: task_matches
  offset 0) t
where x.run_id = $15::uuid and x.task_id {beyond} coalesce($6::uuid, {end}) and
  -- include: has_wanted_status | task: x.task_id
order by x.run_id {direction}, x.task_id {direction} limit $7::int8
