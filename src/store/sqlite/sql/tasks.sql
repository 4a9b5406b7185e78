-- The facts of tasks, and their keys and labels. A row leaves its place only at the fence it was loaded at: the guard
-- is part of the DELETE or UPDATE, so that nothing can change between a check and the write.
--
-- The hot INSERTs are also run with many rows (bulk_insert.hpp repeats the text after VALUES). They use OR ROLLBACK:
-- a conflict ends the whole group, and SQLite need not keep the data for undoing the one statement.

-- name: insert_task
insert or rollback into tasks (id, lane, created_at, timeout_us, key, idempotency_key, retry, labels, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_task_labels
-- Two long labels of a task may have the same prefix.
insert or ignore into task_labels (namespace, label, id) values (?, substr(? || '=' || ?, 1, 200), ?)

-- name: find_task_key
select key from tasks where id = ?

-- name: find_task_facts
select created_at, timeout_us, key, idempotency_key, retry, labels, payload from tasks where id = ?

-- name: insert_task_key
insert or ignore into task_keys (namespace, type, key, task_id) values (?, ?, ?, ?)

-- name: find_idempotent_task
select task_id from task_keys where namespace = ? and type = ? and key = ?

-- name: find_task_to_erase
-- only: this database because PostgreSQL erases many tasks in one statement.
select seq, idempotency_key from tasks where id = ?

-- name: erase_task_keys
-- Only if it still names this task.
delete from task_keys where namespace = ? and type = ? and key = ? and task_id = ?

-- name: erase_task_labels
delete from task_labels where id = ?

-- name: erase_tasks
delete from tasks where seq = ?
