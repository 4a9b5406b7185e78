-- name: insert_waiting
insert into waiting (namespace, queue, key, position, id, lane, available_at, attempt, fence, budget_from)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_waiting
select lane, attempt, fence, budget_from, available_at from waiting where id = ?

-- name: delete_waiting
delete from waiting where id = ? and fence = ?

-- name: list_first_waiting
select id, lane, attempt, fence, budget_from, available_at
from waiting where namespace = ? and queue = ? and key = ?
order by position, id limit ?
