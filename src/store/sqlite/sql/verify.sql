-- Compares the tables with each other, for `pawl verify`: each query lists violations, with an id, a name and a
-- message. Each is one statement, so it sees one snapshot.

-- name: count_rows
-- Rows with a lower id.
select (select count(*) from tasks where id < ?), (select count(*) from runs where id < ?)

-- name: count_checked_rows
-- By check: places, lanes, keys, lines, counts, tasks of runs and of fair lanes, histories, runs, run keys, records.
select (select count(*) from tasks), (select count(*) from lanes), (select count(*) from task_keys),
  (select count(*) from key_lines), (select count(*) from lane_counts),
  (select count(*) from run_tasks) + (select count(*) from fair_tasks) + (select count(*) from task_labels)
    + (select count(*) from run_labels),
  (select count(*) from attempts) + (select count(*) from checkpoints),
  (select count(*) from runs), (select count(*) from run_keys),
  (select count(*) from records) + (select count(*) from queues)

-- name: check_places
with placed as (
  select id, lane, 'ready' as place from ready
  union all select id, lane, 'scheduled' from scheduled
  union all select id, lane, 'waiting' from waiting
  union all select id, lane, 'leases' from leases
  union all select id, lane, 'finished' from finished
), standing as (
  select t.id, (exists (select 1 from ready p where p.id = t.id))
    + (exists (select 1 from scheduled p where p.id = t.id))
    + (exists (select 1 from waiting p where p.id = t.id))
    + (exists (select 1 from leases p where p.id = t.id))
    + (exists (select 1 from finished p where p.seq = t.seq)) as places
  from tasks t
)
select id, name, message from (
  select p.id as id, p.place as name,
    case when t.id is null then 'it has no row in tasks' else 'it has another lane there than in tasks' end as message
  from placed p left join tasks t on t.id = p.id where t.id is null or t.lane <> p.lane
  union all
  select id, 'tasks', case places when 0 then 'it has a row in none of ready, scheduled, waiting, leases and finished'
    else 'it has rows in more than one of ready, scheduled, waiting, leases and finished' end
  from standing where places <> 1
  union all
  select id, 'finished', 'its status is ' || status || ', which is unknown'
  from finished where status not in ('completed', 'failed', 'dead_letter', 'cancelled')
) found limit 100

-- name: check_lanes
-- Lanes are numbered from 1 and never deleted.
select id, name, message from (
  select null as id, 'lanes' as name,
    'there are ' || count(*) || ' rows, and the last one is ' || max(id) as message
  from lanes having count(*) <> max(id)
  union all
  select t.id, 'tasks', 'its lane ' || t.lane || ' does not exist'
  from tasks t where not exists (select 1 from lanes l where l.id = t.lane)
  union all
  select p.id, 'ready',
    case when l.fair = 1 then 'it has no turn in a fair lane' else 'it has a turn in a lane that is not fair' end
  from ready p join lanes l on l.id = p.lane where (l.fair = 1) = (p.turn is null)
) found limit 100

-- name: check_keys
select id, name, message from (
  select t.id as id, 'tasks' as name, 'its idempotency key ' || t.idempotency_key || ' is not in task_keys' as message
  from tasks t join lanes l on l.id = t.lane
  where t.idempotency_key is not null and not exists (
    select 1 from task_keys k
    where k.namespace = l.namespace and k.type = l.type and k.key = t.idempotency_key and k.task_id = t.id)
  union all
  select k.task_id, 'task_keys', 'it is not a task with the idempotency key ' || k.key
  from task_keys k
  where not exists (select 1 from tasks t where t.id = k.task_id and t.idempotency_key = k.key)
) found limit 100

-- name: check_lines
-- A task that its run holds waits at position 0, and keeps its place at the head of a line.
with running as (
  select id from ready union all select id from scheduled union all select id from leases
)
select id, name, message from (
  select k.head as id, 'key_lines' as name, 'the head of the line ' || k.key || ' is not an open task of it' as message
  from key_lines k left join tasks t on t.id = k.head
  where t.key is null or t.key <> k.key or not (
    exists (select 1 from ready p where p.id = k.head)
    or exists (select 1 from scheduled p where p.id = k.head)
    or exists (select 1 from leases p where p.id = k.head)
    or exists (select 1 from waiting p where p.id = k.head and p.position = 0))
  union all
  select p.id, 'tasks', 'it can run, and is not the head of its line ' || t.key
  from running p join tasks t on t.id = p.id join lanes l on l.id = t.lane
  where t.key is not null and not exists (
    select 1 from key_lines k
    where k.namespace = l.namespace and k.queue = l.queue and k.key = t.key and k.head = p.id)
  union all
  select w.id, 'waiting', 'it waits in the line ' || w.key || ', which does not exist or ends before it'
  from waiting w where w.position <> 0 and not exists (
    select 1 from key_lines k
    where k.namespace = w.namespace and k.queue = w.queue and k.key = w.key and k.tail >= w.position)
  union all
  select w.id, 'waiting', 'it waits in the line ' || w.key || ', which is not its own'
  from waiting w join tasks t on t.id = w.id join lanes l on l.id = t.lane
  where w.position <> 0 and (t.key is null or t.key <> w.key or l.namespace <> w.namespace or l.queue <> w.queue)
  union all
  select p.id, 'leases', 'its lease has another key'
  from leases p join tasks t on t.id = p.id where coalesce(p.key, '') <> coalesce(t.key, '')
) found limit 100

-- name: check_counts
-- The counted tasks of each lane, minus the stored counts.
with differences as (
  select lane, sum(pending) as pending, sum(scheduled) as scheduled, sum(blocked) as blocked, sum(claimed) as claimed,
    sum(running) as running, sum(dead_letter) as dead_letter
  from (
    select lane, 1 as pending, 0 as scheduled, 0 as blocked, 0 as claimed, 0 as running, 0 as dead_letter
    from ready
    union all select lane, 0, 1, 0, 0, 0, 0 from scheduled
    union all select lane, 0, 0, 1, 0, 0, 0 from waiting
    union all select lane, 0, 0, 0, (started_at is null), (started_at is not null), 0 from leases
    union all select lane, 0, 0, 0, 0, 0, 1 from finished where status = 'dead_letter'
    union all select lane, -pending, -scheduled, -blocked, -claimed, -running, -dead_letter from lane_counts
  ) each_one group by lane
)
select null as id, 'lane ' || lane as name,
  'its counts are wrong by ' || pending || ' pending, ' || scheduled || ' scheduled, ' || blocked || ' blocked, '
    || claimed || ' claimed, ' || running || ' running, ' || dead_letter || ' dead_letter' as message
from differences
where pending <> 0 or scheduled <> 0 or blocked <> 0 or claimed <> 0 or running <> 0 or dead_letter <> 0
order by lane limit 100

-- name: check_asides
select id, name, message from (
  select t.id as id, 'tasks' as name, 'it is the task of a run, and has no row in run_tasks' as message
  from tasks t join lanes l on l.id = t.lane
  where l.of_runs = 1 and not exists (select 1 from run_tasks x where x.task_id = t.id)
  union all
  select x.task_id, 'run_tasks', 'it is not the task of a run'
  from run_tasks x where not exists (
    select 1 from tasks t join lanes l on l.id = t.lane where t.id = x.task_id and l.of_runs = 1)
  union all
  select x.task_id, 'run_tasks', 'its run does not exist'
  from run_tasks x where not exists (select 1 from runs r where r.id = x.run_id)
  union all
  select t.id, 'tasks', 'it is in a fair lane, and has no row in fair_tasks'
  from tasks t join lanes l on l.id = t.lane
  where l.fair = 1 and not exists (select 1 from fair_tasks x where x.task_id = t.id)
  union all
  select x.task_id, 'fair_tasks', 'it is not a task of a fair lane'
  from fair_tasks x where not exists (
    select 1 from tasks t join lanes l on l.id = t.lane where t.id = x.task_id and l.fair = 1)
  union all
  select t.id, 'tasks', 'it has labels, and has no row in task_labels'
  from tasks t where t.labels is not null and not exists (select 1 from task_labels x where x.id = t.id)
  union all
  select x.id, 'task_labels', 'it is not a task with labels'
  from task_labels x where not exists (select 1 from tasks t where t.id = x.id and t.labels is not null)
  union all
  select r.id, 'runs', 'it has labels, and has no row in run_labels'
  from runs r where r.labels is not null and not exists (select 1 from run_labels x where x.id = r.id)
  union all
  select x.id, 'run_labels', 'it is not a run with labels'
  from run_labels x where not exists (select 1 from runs r where r.id = x.id and r.labels is not null)
) found limit 100

-- name: check_histories
select id, name, message from (
  select distinct a.task_id as id, 'attempts' as name, 'its task does not exist' as message
  from attempts a where not exists (select 1 from tasks t where t.id = a.task_id)
  union all
  select task_id, 'attempts', 'the outcome of attempt ' || attempt || ' is ' || outcome || ', which is unknown'
  from attempts where outcome not in ('completed', 'failed', 'released', 'cancelled', 'lease_expired', 'timed_out')
  union all
  select distinct c.owner, 'checkpoints', 'its task or run does not exist'
  from checkpoints c where not exists (select 1 from tasks t where t.id = c.owner)
    and not exists (select 1 from runs r where r.id = c.owner)
  union all
  select owner, 'checkpoints', 'there are ' || count(*) || ' of them, from ' || min(sequence) || ' to ' || max(sequence)
  from checkpoints group by owner having max(sequence) - min(sequence) + 1 <> count(*)
) found limit 100

-- name: check_runs
select id, name, message from (
  select r.id as id, 'runs' as name, 'it has no row in run_states' as message
  from runs r where not exists (select 1 from run_states s where s.id = r.id)
  union all
  select s.id, 'run_states', 'it has no row in runs'
  from run_states s where not exists (select 1 from runs r where r.id = s.id)
  union all
  select distinct n.run_id, 'run_nodes', 'it has no row in runs'
  from run_nodes n where not exists (select 1 from runs r where r.id = n.run_id)
  union all
  select distinct e.run_id, 'run_events', 'it has no row in runs'
  from run_events e where not exists (select 1 from runs r where r.id = e.run_id)
  union all
  select distinct g.run_id, 'run_signals', 'it has no row in runs'
  from run_signals g where not exists (select 1 from runs r where r.id = g.run_id)
) found limit 100

-- name: check_run_keys
-- A key names the last run that was started with it.
select id, name, message from (
  select k.run_id as id, 'run_keys' as name,
    'it is no run of ' || k.workflow || ' with the key ' || k.run_key as message
  from run_keys k where not exists (
    select 1 from runs r where r.id = k.run_id and r.namespace = k.namespace and r.workflow = k.workflow
      and r.run_key = k.run_key)
  union all
  select r.id, 'runs', 'it is open, and its key ' || r.run_key || ' does not name it'
  from runs r join run_states s on s.id = r.id
  where r.run_key is not null
    and s.state not in ('completed', 'failed', 'compensated', 'compensation_failed', 'cancelled')
    and not exists (
      select 1 from run_keys k where k.namespace = r.namespace and k.workflow = r.workflow
        and k.run_key = r.run_key and k.run_id = r.id)
) found limit 100

-- name: check_records
select id, name, message from (
  select null as id, r.kind || ' ' || r.namespace || '/' || r.key as name, 'its body is not a JSON object' as message
  from records r where not json_valid(r.body) or r.body not like '{%'
  union all
  select null, 'queue ' || q.namespace || '/' || q.name, 'its type_concurrency is no JSON object'
  from queues q where q.type_concurrency is not null
    and (not json_valid(q.type_concurrency) or q.type_concurrency not like '{%')
) found limit 100

-- name: check_file
-- only: this database because PostgreSQL has amcheck and checksums of its own.
pragma integrity_check(100)
