-- Compares the tables with each other, for `pawl verify`: each query lists violations, with an id, a name and a
-- message. Each is one statement, so it sees one snapshot.

-- name: count_rows
-- Rows with a lower id.
select (select count(*) from pawl.tasks where id < $1::uuid), (select count(*) from pawl.runs where id < $1)

-- name: count_checked_rows
-- By check: places, lanes, keys, lines, counts, tasks of runs and of fair lanes, histories, runs, run keys, records.
select (select count(*) from pawl.tasks), (select count(*) from pawl.lanes), (select count(*) from pawl.task_keys),
  (select count(*) from pawl.key_lines), (select count(*) from pawl.lane_counts),
  (select count(*) from pawl.run_tasks) + (select count(*) from pawl.fair_tasks)
    + (select count(*) from pawl.task_labels)
    + (select count(*) from pawl.run_labels),
  (select count(*) from pawl.attempts) + (select count(*) from pawl.checkpoints),
  (select count(*) from pawl.runs), (select count(*) from pawl.run_keys),
  (select count(*) from pawl.records) + (select count(*) from pawl.queues)

-- name: check_places
with placed as (
  select id, lane, 'ready' as place from pawl.ready
  union all select id, lane, 'scheduled' from pawl.scheduled
  union all select id, lane, 'waiting' from pawl.waiting
  union all select id, lane, 'leases' from pawl.leases
  union all select id, lane, 'finished' from pawl.finished
), standing as (
  select t.id, (exists (select 1 from pawl.ready p where p.id = t.id))::int
    + (exists (select 1 from pawl.scheduled p where p.id = t.id))::int
    + (exists (select 1 from pawl.waiting p where p.id = t.id))::int
    + (exists (select 1 from pawl.leases p where p.id = t.id))::int
    + (exists (select 1 from pawl.finished p where p.id = t.id))::int as places
  from pawl.tasks t
)
select id, name, message from (
  select p.id as id, p.place as name,
    case when t.id is null then 'it has no row in tasks' else 'it has another lane there than in tasks' end as message
  from placed p left join pawl.tasks t on t.id = p.id where t.id is null or t.lane <> p.lane
  union all
  select id, 'tasks', case places when 0 then 'it has a row in none of ready, scheduled, waiting, leases and finished'
    else 'it has rows in more than one of ready, scheduled, waiting, leases and finished' end
  from standing where places <> 1
  union all
  select id, 'finished', 'its status is ' || status || ', which is unknown'
  from pawl.finished where status not in ('completed', 'failed', 'dead_letter', 'cancelled')
) found limit 100

-- name: check_lanes
-- Lanes are numbered from 1 and never deleted.
select id, name, message from (
  select null::uuid as id, 'lanes' as name,
    'there are ' || count(*) || ' rows, and the last one is ' || max(id) as message
  from pawl.lanes having count(*) <> max(id)
  union all
  select t.id, 'tasks', 'its lane ' || t.lane || ' does not exist'
  from pawl.tasks t where not exists (select 1 from pawl.lanes l where l.id = t.lane)
  union all
  select p.id, 'ready',
    case when l.fair then 'it has no turn in a fair lane' else 'it has a turn in a lane that is not fair' end
  from pawl.ready p join pawl.lanes l on l.id = p.lane where l.fair = (p.turn is null)
) found limit 100

-- name: check_keys
select id, name, message from (
  select t.id as id, 'tasks' as name, 'its idempotency key ' || t.idempotency_key || ' is not in task_keys' as message
  from pawl.tasks t join pawl.lanes l on l.id = t.lane
  where t.idempotency_key is not null and not exists (
    select 1 from pawl.task_keys k
    where k.namespace = l.namespace and k.type = l.type and k.key = t.idempotency_key and k.task_id = t.id)
  union all
  select k.task_id, 'task_keys', 'it is neither a task nor a call with the idempotency key ' || k.key
  from pawl.task_keys k
  where not exists (select 1 from pawl.tasks t where t.id = k.task_id and t.idempotency_key = k.key)
    and not exists (
      select 1 from pawl.records r
      where r.kind = 'inbox_key' and r.namespace = '' and r.key = concat_ws(e'\n', 'enqueue', k.namespace, k.type, k.key)
        and strpos(r.body, k.task_id::text) > 0)
  union all
  select null, 'call ' || r.key, 'its idempotency key does not name it, or it is not in the inbox'
  from pawl.records r
  where r.kind = 'inbox_key' and split_part(r.key, e'\n', 1) = 'enqueue' and not exists (
    select 1 from pawl.task_keys k
    where k.namespace = split_part(r.key, e'\n', 2) and k.type = split_part(r.key, e'\n', 3)
      and k.key = split_part(r.key, e'\n', 4) and strpos(r.body, k.task_id::text) > 0
      and exists (select 1 from pawl.records i where i.kind = 'inbox' and i.namespace = '' and i.key = k.task_id::text))
) found limit 100

-- name: check_lines
-- A task that its run holds waits at position 0, and keeps its place at the head of a line.
with running as (
  select id from pawl.ready union all select id from pawl.scheduled union all select id from pawl.leases
)
select id, name, message from (
  select k.head as id, 'key_lines' as name, 'the head of the line ' || k.key || ' is not an open task of it' as message
  from pawl.key_lines k left join pawl.tasks t on t.id = k.head
  where t.key is null or t.key <> k.key or not (
    exists (select 1 from pawl.ready p where p.id = k.head)
    or exists (select 1 from pawl.scheduled p where p.id = k.head)
    or exists (select 1 from pawl.leases p where p.id = k.head)
    or exists (select 1 from pawl.waiting p where p.id = k.head and p.position = 0))
  union all
  select p.id, 'tasks', 'it can run, and is not the head of its line ' || t.key
  from running p join pawl.tasks t on t.id = p.id join pawl.lanes l on l.id = t.lane
  where t.key is not null and not exists (
    select 1 from pawl.key_lines k
    where k.namespace = l.namespace and k.queue = l.queue and k.key = t.key and k.head = p.id)
  union all
  select w.id, 'waiting', 'it waits in the line ' || w.key || ', which does not exist or ends before it'
  from pawl.waiting w where w.position <> 0 and not exists (
    select 1 from pawl.key_lines k
    where k.namespace = w.namespace and k.queue = w.queue and k.key = w.key and k.tail >= w.position)
  union all
  select w.id, 'waiting', 'it waits in the line ' || w.key || ', which is not its own'
  from pawl.waiting w join pawl.tasks t on t.id = w.id join pawl.lanes l on l.id = t.lane
  where w.position <> 0 and (t.key is null or t.key <> w.key or l.namespace <> w.namespace or l.queue <> w.queue)
  union all
  select p.id, 'leases', 'its lease has another key'
  from pawl.leases p join pawl.tasks t on t.id = p.id where coalesce(p.key, '') <> coalesce(t.key, '')
) found limit 100

-- name: check_counts
-- The counted tasks of each lane, minus the stored counts.
with differences as (
  select lane, sum(pending) as pending, sum(scheduled) as scheduled, sum(blocked) as blocked, sum(claimed) as claimed,
    sum(running) as running, sum(dead_letter) as dead_letter
  from (
    select lane, 1 as pending, 0 as scheduled, 0 as blocked, 0 as claimed, 0 as running, 0 as dead_letter
    from pawl.ready
    union all select lane, 0, 1, 0, 0, 0, 0 from pawl.scheduled
    union all select lane, 0, 0, 1, 0, 0, 0 from pawl.waiting
    union all select lane, 0, 0, 0, (started_at is null)::int, (started_at is not null)::int, 0 from pawl.leases
    union all select lane, 0, 0, 0, 0, 0, 1 from pawl.finished where status = 'dead_letter'
    union all select lane, -pending, -scheduled, -blocked, -claimed, -running, -dead_letter from pawl.lane_counts
  ) each_one group by lane
)
select null::uuid as id, 'lane ' || lane as name,
  'its counts are wrong by ' || pending || ' pending, ' || scheduled || ' scheduled, ' || blocked || ' blocked, '
    || claimed || ' claimed, ' || running || ' running, ' || dead_letter || ' dead_letter' as message
from differences
where pending <> 0 or scheduled <> 0 or blocked <> 0 or claimed <> 0 or running <> 0 or dead_letter <> 0
order by lane limit 100

-- name: check_asides
select id, name, message from (
  select t.id as id, 'tasks' as name, 'it is the task of a run, and has no row in run_tasks' as message
  from pawl.tasks t join pawl.lanes l on l.id = t.lane
  where l.of_runs and not exists (select 1 from pawl.run_tasks x where x.task_id = t.id)
  union all
  select x.task_id, 'run_tasks', 'it is not the task of a run'
  from pawl.run_tasks x where not exists (
    select 1 from pawl.tasks t join pawl.lanes l on l.id = t.lane where t.id = x.task_id and l.of_runs)
  union all
  select x.task_id, 'run_tasks', 'its run does not exist'
  from pawl.run_tasks x where not exists (select 1 from pawl.runs r where r.id = x.run_id)
  union all
  select t.id, 'tasks', 'it is in a fair lane, and has no row in fair_tasks'
  from pawl.tasks t join pawl.lanes l on l.id = t.lane
  where l.fair and not exists (select 1 from pawl.fair_tasks x where x.task_id = t.id)
  union all
  select x.task_id, 'fair_tasks', 'it is not a task of a fair lane'
  from pawl.fair_tasks x where not exists (
    select 1 from pawl.tasks t join pawl.lanes l on l.id = t.lane where t.id = x.task_id and l.fair)
  union all
  select t.id, 'tasks', 'it has labels, and has no row in task_labels'
  from pawl.tasks t where t.labels is not null and not exists (select 1 from pawl.task_labels x where x.id = t.id)
  union all
  select x.id, 'task_labels', 'it is not a task with labels'
  from pawl.task_labels x where not exists (
    select 1 from pawl.tasks t where t.id = x.id and t.labels is not null)
  union all
  select r.id, 'runs', 'it has labels, and has no row in run_labels'
  from pawl.runs r where r.labels is not null and not exists (select 1 from pawl.run_labels x where x.id = r.id)
  union all
  select x.id, 'run_labels', 'it is not a run with labels'
  from pawl.run_labels x where not exists (select 1 from pawl.runs r where r.id = x.id and r.labels is not null)
) found limit 100

-- name: check_histories
select id, name, message from (
  select distinct a.task_id as id, 'attempts' as name, 'its task does not exist' as message
  from pawl.attempts a where not exists (select 1 from pawl.tasks t where t.id = a.task_id)
  union all
  select task_id, 'attempts', 'the outcome of attempt ' || attempt || ' is ' || outcome || ', which is unknown'
  from pawl.attempts where outcome not in ('completed', 'failed', 'released', 'cancelled', 'lease_expired', 'timed_out')
  union all
  select distinct c.owner, 'checkpoints', 'its task or run does not exist'
  from pawl.checkpoints c where not exists (select 1 from pawl.tasks t where t.id = c.owner)
    and not exists (select 1 from pawl.runs r where r.id = c.owner)
  union all
  select owner, 'checkpoints', 'there are ' || count(*) || ' of them, from ' || min(sequence) || ' to ' || max(sequence)
  from pawl.checkpoints group by owner having max(sequence) - min(sequence) + 1 <> count(*)
) found limit 100

-- name: check_runs
select id, name, message from (
  select r.id as id, 'runs' as name, 'it has no row in run_states' as message
  from pawl.runs r where not exists (select 1 from pawl.run_states s where s.id = r.id)
  union all
  select s.id, 'run_states', 'it has no row in runs'
  from pawl.run_states s where not exists (select 1 from pawl.runs r where r.id = s.id)
  union all
  select distinct n.run_id, 'run_nodes', 'it has no row in runs'
  from pawl.run_nodes n where not exists (select 1 from pawl.runs r where r.id = n.run_id)
  union all
  select distinct e.run_id, 'run_events', 'it has no row in runs'
  from pawl.run_events e where not exists (select 1 from pawl.runs r where r.id = e.run_id)
  union all
  select distinct g.run_id, 'run_signals', 'it has no row in runs'
  from pawl.run_signals g where not exists (select 1 from pawl.runs r where r.id = g.run_id)
) found limit 100

-- name: check_run_keys
-- A key names the last run that was started with it.
select id, name, message from (
  select k.run_id as id, 'run_keys' as name,
    'it is neither a run of ' || k.workflow || ' nor a call with the key ' || k.run_key as message
  from pawl.run_keys k where not exists (
    select 1 from pawl.runs r where r.id = k.run_id and r.namespace = k.namespace and r.workflow = k.workflow
      and r.run_key = k.run_key)
    and not exists (
      select 1 from pawl.records r
      where r.kind = 'inbox_key' and r.namespace = ''
        and r.key = concat_ws(e'\n', 'start_workflow', k.namespace, k.workflow, k.run_key)
        and strpos(r.body, k.run_id::text) > 0)
  union all
  select null, 'call ' || r.key, 'its run_key does not name it, or it is not in the inbox'
  from pawl.records r
  where r.kind = 'inbox_key' and split_part(r.key, e'\n', 1) = 'start_workflow' and not exists (
    select 1 from pawl.run_keys k
    where k.namespace = split_part(r.key, e'\n', 2) and k.workflow = split_part(r.key, e'\n', 3)
      and k.run_key = split_part(r.key, e'\n', 4) and strpos(r.body, k.run_id::text) > 0
      and exists (select 1 from pawl.records i where i.kind = 'inbox' and i.namespace = '' and i.key = k.run_id::text))
  union all
  select r.id, 'runs', 'it is open, and its key ' || r.run_key || ' does not name it'
  from pawl.runs r join pawl.run_states s on s.id = r.id
  where r.run_key is not null
    and s.state not in ('completed', 'failed', 'compensated', 'compensation_failed', 'cancelled')
    and not exists (
      select 1 from pawl.run_keys k where k.namespace = r.namespace and k.workflow = r.workflow
        and k.run_key = r.run_key and k.run_id = r.id)
) found limit 100

-- name: check_records
-- PostgreSQL 15 has no JSON predicate: a text that does not begin and end like an object is not one.
select id, name, message from (
  select null::uuid as id, r.kind || ' ' || r.namespace || '/' || r.key as name,
    'its body is not a JSON object' as message
  from pawl.records r where r.body not like '{%}'
  union all
  select null, 'queue ' || q.namespace || '/' || q.name, 'its type_concurrency is no JSON object'
  from pawl.queues q where q.type_concurrency not like '{%}'
) found limit 100
