-- name: insert_run
insert into pawl.runs (id, namespace, workflow, run_key, parent_id, created_at, labels, facts)
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::uuid[]),
  unnest($6::timestamptz[]), unnest($7::text[]), unnest($8::text[])

-- name: insert_run_label
-- Two long labels of a run may have the same prefix.
insert into pawl.run_labels (namespace, label, id)
select u.namespace, left(u.name || '=' || u.value, 200), u.id
from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) u(namespace, name, value, id)
on conflict do nothing

-- name: insert_run_state
insert into pawl.run_states (id, state, sequence, updated_at, deadline_at, hash, standing, output, retrying, bare)
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::int8[]), unnest($4::timestamptz[]),
  unnest($5::timestamptz[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::bool[]),
  unnest($10::bool[])

-- name: update_run_state
-- Only at the sequence it was loaded at: of two transactions that decided on the same state, one must fail.
with changed as (
  update pawl.run_states s set state = u.state, sequence = u.sequence, updated_at = u.updated_at,
    deadline_at = u.deadline_at, hash = u.hash, standing = u.standing, output = u.output, retrying = u.retrying,
    bare = u.bare
  from (select unnest($1::uuid[]) as id, unnest($2::text[]) as state, unnest($3::int8[]) as sequence,
    unnest($4::timestamptz[]) as updated_at, unnest($5::timestamptz[]) as deadline_at, unnest($6::text[]) as hash,
    unnest($7::text[]) as standing, unnest($8::text[]) as output, unnest($9::bool[]) as retrying,
    unnest($10::bool[]) as bare, unnest($11::int8[]) as sequence_before) u
  where s.id = u.id and s.sequence = u.sequence_before returning 1
)
select pawl.expect_rows(count(*), $12::int8) from changed

-- name: lock_run
-- only: this database because SQLite has one writer.
-- In the order given, which is sorted.
select
-- include: run_row | facts: r | state: s
, u.ord::int8
from unnest($1::uuid[]) with ordinality u(id, ord)
cross join lateral (select * from pawl.run_states s where s.id = u.id offset 0 for update) s
cross join lateral (select r.id, r.facts from pawl.runs r where r.id = u.id offset 0) r

-- name: peek_run
-- only: this database because SQLite queries one run at a time.
select
-- include: run_row | facts: r | state: s
, u.ord::int8
from unnest($1::uuid[]) with ordinality u(id, ord)
cross join lateral (select * from pawl.run_states s where s.id = u.id offset 0) s
cross join lateral (select r.id, r.facts from pawl.runs r where r.id = u.id offset 0) r

-- Lists of runs; each in both orders, as list_…_newest_first and list_…_oldest_first.
-- $1 namespace, $2 after this id, $3 workflow, $4 key, $5 parent, $6 $7 label, $8 $9 created after and before,
-- $10 limit, $11 states.

-- fragment: run_row
{facts}.facts, {state}.state, {state}.sequence, {state}.updated_at, {state}.hash, {state}.standing, {state}.output,
{state}.bare, {facts}.id

-- fragment: run_is_of_workflow
($3::text is null or r.workflow = $3)
and ($4::text is null or r.run_key = $4) and ($5::uuid is null or r.parent_id = $5)

-- fragment: run_is_of_time
($8::timestamptz is null or r.created_at > $8) and ($9::timestamptz is null or r.created_at < $9)

-- fragment: run_matches
($1::text = '' or r.namespace = $1) and
-- include: run_is_of_workflow
and ($6::text is null or r.labels::jsonb ->> $6 = $7::text) and
-- include: run_is_of_time

-- fragment: matching_runs
-- Found by an index of their states.
select s.*, r.facts from pawl.run_states s cross join lateral (
  select r.facts from pawl.runs r where r.id = s.id and
  -- include: run_matches
  offset 0) r
where {found} and s.id {beyond} coalesce($2::uuid, {end})
order by s.id {direction} limit $10::int8

-- name: list_runs
-- only: this database because SQLite's lists are assembled in code.
-- both orders
select
-- include: run_row | facts: r | state: s
from pawl.runs r cross join lateral (select * from pawl.run_states s where s.id = r.id offset 0) s
where r.id {beyond} coalesce($2::uuid, {end}) and
-- include: run_matches
order by r.id {direction} limit $10::int8

-- name: list_runs_of_states
-- only: this database because SQLite's lists are assembled in code.
-- both orders
-- Finding three failures among a million completed runs reads three rows.
select
-- include: run_row | facts: x | state: x
from (select unnest($11::text[]) as state) u cross join lateral (
  -- include: matching_runs | found: s.state = u.state
) x
order by x.id {direction} limit $10::int8

-- name: list_labeled_runs
-- only: this database because SQLite's lists are assembled in code.
-- both orders
-- Like list_runs, for one label. $11 states, empty for all.
select
-- include: run_row | facts: r | state: s
from pawl.run_labels x cross join lateral (
  select r.id, r.facts from pawl.runs r where r.id = x.id and
    -- include: run_is_of_workflow
    and r.labels::jsonb ->> $6::text = $7::text and
    -- include: run_is_of_time
  offset 0) r cross join lateral (
  select * from pawl.run_states s where s.id = x.id and (cardinality($11::text[]) = 0 or s.state = any($11))
  offset 0) s
where x.namespace = $1::text and x.label = left($6 || '=' || $7, 200)
  and x.id {beyond} coalesce($2::uuid, {end})
order by x.namespace {direction}, x.label {direction}, x.id {direction} limit $10::int8

-- name: list_retrying_runs
-- only: this database because SQLite's lists are assembled in code.
-- both orders
-- $11 states, empty for all.
select
-- include: run_row | facts: x | state: x
from (
  -- include: matching_runs | found: s.retrying and (cardinality($11::text[]) = 0 or s.state = any($11))
) x
order by x.id {direction}

-- name: list_due_deadlines
select deadline_at, id from pawl.run_states where deadline_at is not null order by deadline_at, id limit $1::int8

-- name: list_stuck_runs
select id from pawl.run_states where state = 'running' and updated_at <= $1::timestamptz order by id limit $2::int8

-- name: find_run_key
select u.ord::int8, k.run_id
from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(namespace, workflow, run_key, ord)
cross join lateral (
  select k.run_id from pawl.run_keys k
  where k.namespace = u.namespace and k.workflow = u.workflow and k.run_key = u.run_key offset 0
) k

-- name: insert_run_key
-- Sorted: two groups that insert the same keys in different orders would deadlock.
insert into pawl.run_keys (namespace, workflow, run_key, run_id)
select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[])

-- name: update_run_key
with changed as (
  update pawl.run_keys k set run_id = u.run_id
  from (select unnest($1::text[]) as namespace, unnest($2::text[]) as workflow, unnest($3::text[]) as run_key,
    unnest($4::uuid[]) as run_id, unnest($5::uuid[]) as instead_of) u
  where k.namespace = u.namespace and k.workflow = u.workflow and k.run_key = u.run_key
    and k.run_id = u.instead_of returning 1
)
select pawl.expect_rows(count(*), $6::int8) from changed

-- name: insert_run_task
insert into pawl.run_tasks (task_id, run_id, node, item, node_id, traceparent)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int4[]), unnest($4::int4[]), unnest($5::text[]),
  unnest($6::text[])

-- name: find_run_task
select task_id, run_id, node, item, node_id, traceparent from pawl.run_tasks where task_id = any($1::uuid[])

-- name: list_run_tasks
select task_id, node, item from pawl.run_tasks where run_id = $1::uuid order by run_id, task_id

-- name: erase_run_states
-- Only at the sequence they were loaded at, like update_run_state.
with gone as (
  delete from pawl.run_states s using (
    select s.address from unnest($1::uuid[], $2::int8[]) u(id, sequence)
    cross join lateral (
      select s.ctid as address from pawl.run_states s where s.id = u.id and s.sequence = u.sequence offset 0) s
  ) found
  where s.ctid = found.address returning 1
)
select pawl.expect_rows(count(*), $3::int8) from gone

-- name: erase_runs
delete from pawl.runs where id = any($1::uuid[])

-- name: erase_run_labels
delete from pawl.run_labels where id = any($1::uuid[])

-- name: erase_run_keys
-- Only if they still name these runs.
delete from pawl.run_keys k using (
  select k.address
  from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) u(namespace, workflow, run_key, run_id)
  cross join lateral (
    select k.ctid as address from pawl.run_keys k
    where k.namespace = u.namespace and k.workflow = u.workflow and k.run_key = u.run_key and k.run_id = u.run_id
    offset 0) k
) gone
where k.ctid = gone.address

-- name: erase_run_tasks
delete from pawl.run_tasks where run_id = any($1::uuid[])
