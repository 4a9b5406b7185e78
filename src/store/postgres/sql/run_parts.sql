-- The parts of runs: nodes, events, signals. A transaction that reads or writes them has the run locked.

-- name: put_node
insert into pawl.run_nodes (run_id, node, item, state, timer_at, body, output)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::text[]), unnest($5::timestamptz[]),
  unnest($6::text[]), unnest($7::text[])
on conflict (run_id, node, item) do update set
  state = excluded.state, timer_at = excluded.timer_at, body = excluded.body, output = excluded.output

-- name: find_node
select n.node, n.item, n.state, n.timer_at, n.body, n.output, u.ord::int8
from unnest($1::uuid[], $2::int4[], $3::int4[]) with ordinality u(run_id, node, item, ord)
cross join lateral (
  select * from pawl.run_nodes n where n.run_id = u.run_id and n.node = u.node and n.item = u.item offset 0) n

-- name: list_nodes
select node, item, state, timer_at, body, output from pawl.run_nodes where run_id = $1::uuid order by run_id, node, item

-- name: list_node_items
select node, item, state, timer_at, body, output from pawl.run_nodes
where run_id = $1::uuid and node = $2::int4 and item >= 0 order by run_id, node, item

-- name: list_run_timers
select node, item, state, timer_at, body, output from pawl.run_nodes
where run_id = $1::uuid and timer_at is not null order by timer_at, node, item limit $2::int8

-- name: list_due_timers
select timer_at, run_id, node, item from pawl.run_nodes where timer_at is not null
order by timer_at, run_id, node, item limit $1::int8

-- name: insert_event
insert into pawl.run_events
  (run_id, sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload)
select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::int8[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
  unnest($11::text[])

-- name: append_event
-- only: this database because SQLite has no server log in which a conflict would be an error.
-- Inserts one event, or nothing if another node has already written to the run. A conflict is not an error.
insert into pawl.run_events
  (run_id, sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload)
select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::int8[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
  unnest($11::text[])
on conflict (run_id, sequence) do nothing returning 1::int8

-- name: append_events
-- only: this database because SQLite has no server log in which a conflict would be an error.
-- Inserts several events of runs that other nodes may have written to: all or none, and none is not an error.
-- Compares the first events ($12, $13) with the log. It does not see a node that appends concurrently: if that
-- excludes only some of the rows, the statement fails, and so do those after it.
with added as (
  insert into pawl.run_events
    (run_id, sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload)
  select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::int8[]),
    unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
    unnest($11::text[])
  where not exists (
    select 1 from (select unnest($12::uuid[]) as run_id, unnest($13::int8[]) as sequence) f
    cross join lateral (
      select 1 from pawl.run_events e where e.run_id = f.run_id and e.sequence = f.sequence offset 0) e)
  on conflict (run_id, sequence) do nothing returning 1
)
select count(*), pawl.expect_rows(count(*), case when count(*) = 0 then 0 else $14::int8 end) from added

-- name: list_events
select sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload
from pawl.run_events where run_id = $1::uuid and sequence > $2::int8 order by run_id, sequence limit $3::int8

-- name: last_sequence
-- Checks that all runs are at the sequence last seen, because a reply was made from cached data about them.
with seen as (
  select 1 from (select unnest($1::uuid[]) as id, unnest($2::int8[]) as sequence) u
  cross join lateral (
    select sequence from pawl.run_events e where e.run_id = u.id order by e.run_id desc, e.sequence desc limit 1) e
  where e.sequence = u.sequence
)
select pawl.expect_rows(count(*), $3::int8) from seen

-- name: list_tails
-- only: this database because SQLite queries one run at a time.
-- The events after each run's row, with the sequence of the row at the same moment.
select e.sequence, e.type, e.at, e.caused_by, e.actor_type, e.actor_id, e.trace_id, e.span_id, e.hash, e.payload,
  u.ord::int8, s.sequence
from unnest($1::uuid[]) with ordinality u(id, ord)
cross join lateral (
  select s.sequence, case when s.bare then 0 else s.sequence end as tail_from
  from pawl.run_states s where s.id = u.id offset 0) s
left join lateral (
  select * from pawl.run_events e where e.run_id = u.id and e.sequence > s.tail_from offset 0) e on true
order by u.ord, e.sequence

-- name: put_signal
insert into pawl.run_signals (run_id, sequence, name, idempotency_key, consumed_node, consumed_item, payload)
select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::text[]), unnest($5::int4[]),
  unnest($6::int4[]), unnest($7::text[])
on conflict (run_id, sequence) do update set
  consumed_node = excluded.consumed_node, consumed_item = excluded.consumed_item

-- name: list_signals
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from pawl.run_signals where run_id = $1::uuid order by run_id, sequence

-- name: list_unread_signals
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from pawl.run_signals where run_id = $1::uuid and name = $2::text and consumed_node is null
order by run_id, name, sequence limit $3::int8

-- name: list_all_unread
select s.sequence, s.name, s.idempotency_key, s.consumed_node, s.consumed_item, s.payload, u.ord::int8
from unnest($1::uuid[]) with ordinality u(id, ord)
join pawl.run_signals s on s.run_id = u.id and s.consumed_node is null order by u.ord, s.sequence

-- name: peek_nodes
-- only: this database because SQLite queries one run at a time.
select n.node, n.item, n.state, n.timer_at, n.body, n.output, u.ord::int8
from unnest($1::uuid[]) with ordinality u(id, ord)
cross join lateral (select * from pawl.run_nodes n where n.run_id = u.id offset 0) n
order by u.ord, n.node, n.item

-- name: list_node_page
-- A page of the nodes of each run, and the first node after it, which shows that there are more. Outputs beyond the
-- page's bytes are not sent.
select n.node, n.item, n.state, n.timer_at, n.body, n.output, u.ord::int8
from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int8[], $5::int8[]) with ordinality
  u(id, node, item, nodes_max, bytes_max, ord)
cross join lateral (
  select p.*, row_number() over (order by p.node, p.item) as place,
    coalesce(sum(octet_length(p.output)) over (
      order by p.node, p.item rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (
    select * from pawl.run_nodes r where r.run_id = u.id and (r.node, r.item) >= (u.node, u.item)
    order by r.run_id, r.node, r.item limit u.nodes_max + 1) p) n
where n.place <= 2 or n.bytes_before <= u.bytes_max
order by u.ord, n.node, n.item

-- name: find_signal
select sequence, name, idempotency_key, consumed_node, consumed_item, payload
from pawl.run_signals where run_id = $1::uuid and idempotency_key = $2::text

-- name: erase_nodes
delete from pawl.run_nodes where run_id = any($1::uuid[])

-- name: erase_events
delete from pawl.run_events where run_id = any($1::uuid[])

-- name: erase_signals
delete from pawl.run_signals where run_id = any($1::uuid[])
