-- The facts of tasks, their keys and labels, and reads of whole tasks.

-- name: insert_task
insert into pawl.tasks (id, lane, created_at, timeout_us, key, idempotency_key, retry, labels, payload)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::timestamptz[]), unnest($4::int8[]), unnest($5::text[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[])

-- name: insert_plain_task
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_task: no facts but the payload.
insert into pawl.tasks (id, lane, payload, created_at)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::text[]), $4::timestamptz

-- name: insert_task_labels
-- Two long labels of a task may have the same prefix.
insert into pawl.task_labels (namespace, label, id)
select u.namespace, left(u.name || '=' || u.value, 200), u.id
from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) u(namespace, name, value, id)
on conflict do nothing

-- name: find_task_key
select id, key from pawl.tasks where id = any($1::uuid[])

-- name: find_task_facts
select id, created_at, timeout_us, key, idempotency_key, retry, labels, payload
from pawl.tasks where id = any($1::uuid[])

-- name: insert_task_key
-- Sorted: two groups that insert the same keys in different orders would deadlock.
insert into pawl.task_keys (namespace, type, key, task_id)
select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[])

-- name: find_idempotent_task
select u.ord::int8, k.task_id
from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(namespace, type, key, ord)
cross join lateral (
  select k.task_id from pawl.task_keys k
  where k.namespace = u.namespace and k.type = u.type and k.key = u.key offset 0
) k

-- name: list_tasks
-- only: this database because SQLite reads place by place.
-- One statement is one snapshot, so a task that moves meanwhile is seen in one place.
select t.id, t.lane,
  coalesce(r.attempt, s.attempt, w.attempt, l.attempt, f.attempt, case when r.id is null then 1 else 0 end),
  coalesce(r.fence, s.fence, w.fence, l.fence, f.fence, case when r.id is null then 1 else 0 end),
  coalesce(r.budget_from, s.budget_from, w.budget_from, l.budget_from, f.budget_from, 0),
  coalesce(r.available_at, s.available_at, w.available_at, l.available_at, f.available_at),
  case when r.id is not null then 'ready' when s.id is not null then 'scheduled' when w.id is not null then 'waiting'
    when l.id is not null then 'leased' when f.id is not null then 'finished' else 'nowhere' end,
  t.created_at, t.timeout_us, t.key, t.idempotency_key, t.retry, t.labels, t.payload,
  l.worker_id, l.acquired_at, coalesce(l.expires_at, l.check_at), l.heartbeat_at, l.started_at, l.timeout_us,
  l.timeout_at, coalesce(l.renewals, 0), coalesce(l.cancel_requested, false),
  f.status, f.worker_id, coalesce(f.end_fence, 1), f.claimed_at, f.started_at, f.finished_at, f.output, f.error
from pawl.tasks t
left join lateral (select * from pawl.ready r where r.id >= t.id and r.id <= t.id order by r.id limit 1) r on true
left join lateral (
  select * from pawl.scheduled s where s.id >= t.id and s.id <= t.id order by s.id limit 1) s on true
left join pawl.waiting w on w.id = t.id
left join pawl.leases l on l.id = t.id
left join pawl.finished f on f.id = t.id
where t.id = any($1::uuid[])

-- name: erase_task_keys
-- Before the tasks, and only if the keys still name them. Goes from the task to its key: the other direction would
-- read all keys.
delete from pawl.task_keys k using (
  select k.address
  from unnest($1::uuid[]) u(id)
  cross join lateral (
    select t.id, t.lane, t.idempotency_key as key from pawl.tasks t where t.id = u.id offset 0) t
  cross join lateral (select l.namespace, l.type from pawl.lanes l where l.id = t.lane offset 0) l
  cross join lateral (
    select k.ctid as address from pawl.task_keys k
    where k.namespace = l.namespace and k.type = l.type and k.key = t.key and k.task_id = t.id offset 0) k
) gone
where k.ctid = gone.address

-- name: erase_task_labels
delete from pawl.task_labels where id = any($1::uuid[])

-- name: erase_tasks
delete from pawl.tasks where id = any($1::uuid[])
