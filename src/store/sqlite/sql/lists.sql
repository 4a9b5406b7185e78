-- Lists of task ids. Each is read from the narrowest table for a status, so that finding three failures among a
-- million completed tasks reads three rows. The query text is assembled from one of the sources, the filter and the
-- order (ids sort by creation). Values are bound, never pasted.

-- fragment: has_wanted_status
-- The status of one task that is found by another index.
coalesce(
  (select f.status from finished f where f.seq = t.seq),
  (select iif(l.started_at is null, 'claimed', 'running') from leases l where l.id = t.id),
  (select 'blocked' from waiting w where w.id = t.id),
  'pending') in (select value from json_each(?12))

-- name: task_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
select t.id from tasks t where t.id > ?1 and t.id < ?2

-- name: keyed_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
-- A key has few tasks, so the status of each is looked up.
select t.id from tasks t where t.key = ?6 and t.id > ?1 and t.id < ?2
  and
  -- include: has_wanted_status

-- name: labeled_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
-- Like keyed_ids, for one label.
select t.id from task_labels x cross join tasks t on t.id = x.id
where x.namespace = ?3 and x.label = substr(?7 || '=' || ?8, 1, 200) and x.id > ?1 and x.id < ?2
  and
  -- include: has_wanted_status

-- name: run_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
-- Like keyed_ids, for one run.
select t.id from run_tasks x cross join tasks t on t.id = x.task_id
where x.run_id = ?13 and x.task_id > ?1 and x.task_id < ?2
  and (?14 is null or exists (select 1 from leases l where l.id = t.id and l.worker_id = ?14))
  and
  -- include: has_wanted_status

-- name: ready_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
select x.id from ready x cross join tasks t on t.id = x.id where x.id > ?1 and x.id < ?2

-- name: scheduled_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
select x.id from scheduled x cross join tasks t on t.id = x.id where x.id > ?1 and x.id < ?2

-- name: waiting_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
select x.id from waiting x cross join tasks t on t.id = x.id where x.id > ?1 and x.id < ?2

-- name: leased_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
-- A task is running once its worker has reported the start.
select x.id from leases x cross join tasks t on t.id = x.id where x.id > ?1 and x.id < ?2
  and (x.started_at is not null) = ?12 and (?13 is null or x.worker_id = ?13)

-- name: completed_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
select t.id from tasks t cross join finished x on x.seq = t.seq where t.id > ?1 and t.id < ?2
  and x.status = 'completed'

-- name: not_completed_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
-- The second condition on the status lets SQLite use the partial index.
select x.id from finished x cross join tasks t on t.seq = x.seq where x.id > ?1 and x.id < ?2
  and x.status = ?12 and x.status <> 'completed'

-- name: filter_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
and t.lane in (select id from lanes
  where namespace = ?3 and (?4 is null or queue = ?4) and (?5 is null or type = ?5))
and (?6 is null or t.key = ?6)
and (?7 is null or exists (select 1 from json_each(t.labels) e where e.key = ?7 and e.value = ?8))
and (?9 is null or t.created_at > ?9)
and (?10 is null or t.created_at < ?10)

-- name: newest_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
order by 1 desc limit ?11

-- name: oldest_ids
-- only: this database because a list is read from one place at a time, each in the order of its index.
order by 1 limit ?11
