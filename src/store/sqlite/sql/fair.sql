-- Fair lanes: the fairness keys of tasks, the turns given, and the ready tasks in the order of their turns.

-- name: insert_fair_task
insert or rollback into fair_tasks (task_id, key, weight) values (?, ?, ?)

-- name: find_fair_task
select key, weight from fair_tasks where task_id = ?

-- name: erase_fair_tasks
delete from fair_tasks where task_id = ?

-- name: find_fair_lane
select last from fair_lanes where lane = ?

-- name: find_fair_key
select next, next_return from fair_keys where lane = ? and key = ?

-- name: find_first_turn
select turn from ready indexed by ready_by_turn where lane = ? and turn is not null order by turn, id limit 1

-- name: put_fair_lane
insert into fair_lanes (lane, last) values (?, ?) on conflict (lane) do update set last = excluded.last

-- name: put_fair_key
insert into fair_keys (lane, key, next, next_return) values (?, ?, ?, ?)
on conflict (lane, key) do update set next = excluded.next, next_return = excluded.next_return

-- name: forget_fair_keys
-- For a lane where nothing is claimable, in small batches.
delete from fair_keys where lane = ?1 and key in (select key from fair_keys where lane = ?1 limit 1000)

-- name: insert_fair_ready
insert or rollback into ready (lane, available_at, id, attempt, fence, budget_from, turn) values (?, ?, ?, ?, ?, ?, ?)

-- name: list_fair_ready
-- only: this database because PostgreSQL reads and deletes in one statement.
-- The next tasks of a lane after (turn, id).
select turn, id, attempt, fence, budget_from, available_at
from ready indexed by ready_by_turn where lane = ? and turn is not null and (turn, id) > (?, ?)
order by turn, id limit ?

-- name: take_fair_ready
-- The first tasks of a lane up to (turn, id), as list_fair_ready returned them in this transaction.
delete from ready indexed by ready_by_turn where lane = ? and turn is not null and (turn, id) <= (?, ?)
