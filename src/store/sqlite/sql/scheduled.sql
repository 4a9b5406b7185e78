-- name: insert_scheduled
insert into scheduled (available_at, id, lane, attempt, fence, budget_from) values (?, ?, ?, ?, ?, ?)

-- name: find_scheduled
select lane, attempt, fence, budget_from, available_at from scheduled where id = ?

-- name: delete_scheduled
delete from scheduled where id = ? and fence = ?

-- name: list_due_tasks
select available_at, id from scheduled order by available_at, id limit ?
