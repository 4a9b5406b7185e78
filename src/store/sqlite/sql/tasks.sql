-- What was asked of tasks, and where they stand. A row leaves its place only at the fence it was loaded at: the
-- guard is in the DELETE or UPDATE itself, so that nothing can come between looking and writing.

-- name: insert_task
insert into tasks (id, lane, created_at, timeout_us, key, idempotency_key, retry, labels, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_task_key
select key from tasks where id = ?

-- name: find_task_facts
select created_at, timeout_us, key, idempotency_key, retry, labels, payload from tasks where id = ?

-- name: insert_task_key
insert into task_keys (namespace, type, key, task_id) values (?, ?, ?, ?) on conflict do nothing

-- name: find_idempotent_task
select task_id from task_keys where namespace = ? and type = ? and key = ?
