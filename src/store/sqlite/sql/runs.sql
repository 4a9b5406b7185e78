-- fragment: run_row
r.facts, s.state, s.sequence, s.updated_at, s.hash, s.standing, s.output, s.bare, r.id

-- name: insert_run
insert or rollback into runs (id, namespace, workflow, run_key, parent_id, created_at, labels, facts)
values (?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_run_label
-- Two long labels of a run may have the same prefix.
insert or ignore into run_labels (namespace, label, id) values (?, substr(? || '=' || ?, 1, 200), ?)

-- name: insert_run_state
insert or rollback into run_states
  (id, state, sequence, updated_at, deadline_at, retrying, hash, standing, output, bare)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: advance_run_state
-- only: this database because PostgreSQL detects automatically that no index changes.
-- Like update_run_state, for the usual case that no indexed column changes, so that no index is written.
update run_states set sequence = ?, updated_at = ?, hash = ?, standing = ?, output = ?, bare = ?
where id = ? and sequence = ? and state = ? and deadline_at is ? and retrying = ?

-- name: update_run_state
-- Only at the sequence it was loaded at: of two transactions that decided on the same state, one must fail.
update run_states set state = ?, sequence = ?, updated_at = ?, deadline_at = ?, retrying = ?, hash = ?, standing = ?,
  output = ?, bare = ?
where id = ? and sequence = ?

-- name: find_run
-- only: this database because PostgreSQL reads many runs in one query (peek_run).
select
-- include: run_row
from runs r join run_states s on s.id = r.id where r.id = ?

-- name: all_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
select
-- include: run_row
from runs r cross join run_states s on s.id = r.id where r.id > ?1 and r.id < ?2

-- name: runs_of_state
-- only: this database because the query text is assembled from a source, the filter and the order.
select
-- include: run_row
from run_states s cross join runs r on r.id = s.id where s.id > ?1 and s.id < ?2 and s.state = ?11

-- name: retrying_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
select
-- include: run_row
from run_states s cross join runs r on r.id = s.id where s.id > ?1 and s.id < ?2 and s.retrying = 1
and (?11 is null or s.state = ?11)

-- name: labeled_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
-- Here ?11 is an array of states, or null for all.
select
-- include: run_row
from run_labels x cross join runs r on r.id = x.id cross join run_states s on s.id = x.id
where x.namespace = ?3 and x.label = substr(?7 || '=' || ?8, 1, 200) and x.id > ?1 and x.id < ?2
and (?11 is null or s.state in (select value from json_each(?11)))

-- name: filter_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
and (?3 = '' or r.namespace = ?3) and (?4 is null or r.workflow = ?4) and (?5 is null or r.run_key = ?5)
and (?6 is null or r.parent_id = ?6)
and (?7 is null or exists (select 1 from json_each(r.labels) e where e.key = ?7 and e.value = ?8))
and (?9 is null or r.created_at > ?9)
and (?10 is null or r.created_at < ?10)

-- name: newest_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
order by r.id desc limit ?12

-- name: oldest_runs
-- only: this database because the query text is assembled from a source, the filter and the order.
order by r.id limit ?12

-- name: list_due_deadlines
select deadline_at, id from run_states where deadline_at is not null order by deadline_at, id limit ?

-- name: list_stuck_runs
select id from run_states where state = 'running' and updated_at <= ? order by id limit ?

-- name: find_run_key
select run_id from run_keys where namespace = ? and workflow = ? and run_key = ?

-- name: insert_run_key
-- Changes nothing if the row exists. The caller checks the row count.
insert or ignore into run_keys (namespace, workflow, run_key, run_id) values (?, ?, ?, ?)

-- name: update_run_key
update run_keys set run_id = ? where namespace = ? and workflow = ? and run_key = ? and run_id = ?

-- name: insert_run_task
insert or rollback into run_tasks (task_id, run_id, node, item, node_id, traceparent) values (?, ?, ?, ?, ?, ?)

-- name: find_run_task
select run_id, node, item, node_id, traceparent from run_tasks where task_id = ?

-- name: list_run_tasks
select task_id, node, item from run_tasks where run_id = ? order by task_id

-- name: erase_run_states
-- Only at the sequence it was loaded at, like update_run_state.
delete from run_states where id = ? and sequence = ?

-- name: erase_runs
delete from runs where id = ?

-- name: erase_run_labels
delete from run_labels where id = ?

-- name: erase_run_keys
-- Only if it still names this run.
delete from run_keys where namespace = ? and workflow = ? and run_key = ? and run_id = ?

-- name: erase_run_tasks
delete from run_tasks where run_id = ?
