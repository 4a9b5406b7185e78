-- Lists of ids in order, read up to the page limit. The values of the filter are bound, and absent ones are null:
-- $1 lanes, $2 $3 created after and before, $4 $5 label, $6 after this id, $7 limit.
-- By status, from the narrow tables that can hold it. A branch that is switched off costs nothing (a one-time
-- filter):
-- $8 ready and scheduled, $9 waiting, $10 claimed, $11 running, $12 completed, $13 other ends, $14 worker. By key:
-- $15.

-- name: list_all_ids_newest_first
-- only: this database because SQLite's lists are assembled in code.
select t.id from pawl.tasks t
where t.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
  and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
order by t.id desc limit $7::int8

-- name: list_all_ids_oldest_first
-- only: this database because SQLite's lists are assembled in code.
select t.id from pawl.tasks t
where t.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
  and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
  and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
order by t.id limit $7::int8

-- name: list_placed_ids_newest_first
-- only: this database because SQLite's lists are assembled in code.
select id from (
  (select p.id from pawl.ready p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $8::bool
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
  union all
  (select p.id from pawl.scheduled p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $8::bool
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
  union all
  (select p.id from pawl.waiting p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $9::bool
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
  union all
  (select p.id from pawl.leases p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where ($10::bool or $11::bool) and (case when p.started_at is null then $10 else $11 end)
      and ($14::text is null or p.worker_id = $14)
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
  union all
  (select p.id from pawl.finished p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $12::bool and p.status = 'completed'
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
  union all
  (select p.id from pawl.finished p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where cardinality($13::text[]) > 0 and p.status <> 'completed' and p.status = any($13)
      and p.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $7::int8)
) found order by id desc limit $7::int8

-- name: list_placed_ids_oldest_first
-- only: this database because SQLite's lists are assembled in code.
select id from (
  (select p.id from pawl.ready p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $8::bool
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
  union all
  (select p.id from pawl.scheduled p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $8::bool
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
  union all
  (select p.id from pawl.waiting p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $9::bool
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
  union all
  (select p.id from pawl.leases p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where ($10::bool or $11::bool) and (case when p.started_at is null then $10 else $11 end)
      and ($14::text is null or p.worker_id = $14)
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
  union all
  (select p.id from pawl.finished p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where $12::bool and p.status = 'completed'
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
  union all
  (select p.id from pawl.finished p cross join lateral (
      select from pawl.tasks t
      where t.id = p.id and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
        and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
      offset 0) t
    where cardinality($13::text[]) > 0 and p.status <> 'completed' and p.status = any($13)
      and p.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $7::int8)
) found order by id limit $7::int8

-- name: list_keyed_ids_newest_first
-- only: this database because SQLite's lists are assembled in code.
select t.id from pawl.tasks t
where t.key = $15::text and t.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
  and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
  and (($8::bool and exists (select from pawl.ready p where p.id = t.id))
    or ($8 and exists (select from pawl.scheduled p where p.id = t.id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = t.id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = t.id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = t.id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by t.id desc limit $7::int8

-- name: list_keyed_ids_oldest_first
-- only: this database because SQLite's lists are assembled in code.
select t.id from pawl.tasks t
where t.key = $15::text and t.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
  and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
  and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
  and (($8::bool and exists (select from pawl.ready p where p.id = t.id))
    or ($8 and exists (select from pawl.scheduled p where p.id = t.id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = t.id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = t.id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = t.id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by t.id limit $7::int8

-- name: list_labeled_ids_newest_first
-- only: this database because SQLite's lists are assembled in code.
-- The tasks with one label in the namespace $15.
select x.id from pawl.task_labels x cross join lateral (
  select from pawl.tasks t where t.id = x.id
    and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
    and ($3::timestamptz is null or t.created_at < $3) and t.labels::jsonb ->> $4::text = $5::text
  offset 0) t
where x.namespace = $15::text and x.label = left($4 || '=' || $5, 200)
  and x.id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and (($8::bool and exists (select from pawl.ready p where p.id = x.id))
    or ($8 and exists (select from pawl.scheduled p where p.id = x.id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = x.id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = x.id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = x.id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by x.namespace desc, x.label desc, x.id desc limit $7::int8

-- name: list_labeled_ids_oldest_first
-- only: this database because SQLite's lists are assembled in code.
-- The tasks with one label in the namespace $15.
select x.id from pawl.task_labels x cross join lateral (
  select from pawl.tasks t where t.id = x.id
    and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
    and ($3::timestamptz is null or t.created_at < $3) and t.labels::jsonb ->> $4::text = $5::text
  offset 0) t
where x.namespace = $15::text and x.label = left($4 || '=' || $5, 200)
  and x.id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
  and (($8::bool and exists (select from pawl.ready p where p.id = x.id))
    or ($8 and exists (select from pawl.scheduled p where p.id = x.id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = x.id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = x.id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = x.id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by x.namespace, x.label, x.id limit $7::int8

-- name: list_run_ids_newest_first
-- only: this database because SQLite's lists are assembled in code.
-- The tasks of the run $15, with the key $16 if given.
select x.task_id from pawl.run_tasks x cross join lateral (
  select from pawl.tasks t where t.id = x.task_id and ($16::text is null or t.key = $16)
    and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
    and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
  offset 0) t
where x.run_id = $15::uuid and x.task_id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and (($8::bool and exists (select from pawl.ready p where p.id = x.task_id))
    or ($8 and exists (select from pawl.scheduled p where p.id = x.task_id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = x.task_id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = x.task_id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = x.task_id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by x.run_id desc, x.task_id desc limit $7::int8

-- name: list_run_ids_oldest_first
-- only: this database because SQLite's lists are assembled in code.
-- The tasks of the run $15, with the key $16 if given.
select x.task_id from pawl.run_tasks x cross join lateral (
  select from pawl.tasks t where t.id = x.task_id and ($16::text is null or t.key = $16)
    and t.lane = any($1::int4[]) and ($2::timestamptz is null or t.created_at > $2)
    and ($3::timestamptz is null or t.created_at < $3) and ($4::text is null or t.labels::jsonb ->> $4 = $5::text)
  offset 0) t
where x.run_id = $15::uuid and x.task_id > coalesce($6::uuid, '00000000-0000-0000-0000-000000000000')
  and (($8::bool and exists (select from pawl.ready p where p.id = x.task_id))
    or ($8 and exists (select from pawl.scheduled p where p.id = x.task_id))
    or ($9::bool and exists (select from pawl.waiting p where p.id = x.task_id))
    or (($10::bool or $11::bool) and exists (select from pawl.leases p where p.id = x.task_id
      and (case when p.started_at is null then $10 else $11 end) and ($14::text is null or p.worker_id = $14)))
    or (($12::bool or cardinality($13::text[]) > 0) and exists (select from pawl.finished p where p.id = x.task_id
      and (case when p.status = 'completed' then $12 else p.status = any($13) end))))
order by x.run_id, x.task_id limit $7::int8
