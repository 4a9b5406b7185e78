-- The parts of runs: nodes, events, signals.

-- name: put_node
insert or replace into run_nodes (run_id, node, item, state, timer_at, body, output) values (?, ?, ?, ?, ?, ?, ?)

-- name: find_node
select node, item, state, timer_at, body, output from run_nodes where run_id = ? and node = ? and item = ?

-- name: list_nodes
select node, item, state, timer_at, body, output from run_nodes where run_id = ? order by node, item

-- name: list_node_page
select node, item, state, timer_at, body, output from run_nodes
where run_id = ? and (node, item) >= (?, ?) order by node, item limit ?

-- name: list_node_items
select node, item, state, timer_at, body, output from run_nodes
where run_id = ? and node = ? and item >= 0 order by item

-- name: list_run_timers
select node, item, state, timer_at, body, output from run_nodes
where run_id = ? and timer_at is not null order by timer_at, node, item limit ?

-- name: list_due_timers
select timer_at, run_id, node, item from run_nodes where timer_at is not null
order by timer_at, run_id, node, item limit ?

-- name: insert_event
-- Ignores an event that another process has already appended. The caller checks the row count.
insert or ignore into run_events
  (run_id, sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: list_events
select sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload
from run_events where run_id = ? and sequence > ? order by sequence limit ?

-- name: last_sequence
select sequence from run_events where run_id = ? order by sequence desc limit 1

-- name: put_signal
insert or replace into run_signals
  (run_id, sequence, name, idempotency_key, consumed_node, consumed_item, payload)
values (?, ?, ?, ?, ?, ?, ?)

-- name: list_signals
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from run_signals where run_id = ? order by sequence

-- name: list_unread_signals
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from run_signals where run_id = ? and name = ? and consumed_node is null order by sequence limit ?

-- name: list_all_unread
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from run_signals where run_id = ? and consumed_node is null order by sequence

-- name: find_signal
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from run_signals where run_id = ? and idempotency_key = ?

-- name: erase_nodes
delete from run_nodes where run_id = ?

-- name: erase_events
delete from run_events where run_id = ?

-- name: erase_signals
delete from run_signals where run_id = ?
