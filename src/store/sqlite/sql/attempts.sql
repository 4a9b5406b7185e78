-- name: insert_attempt
insert into attempts
  (task_id, fence, attempt, claimed_at, started_at, finished_at, outcome, status_after, worker_id, error)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_attempt
select fence, attempt, claimed_at, started_at, finished_at, outcome, status_after, worker_id, error
from attempts where task_id = ? and fence = ?

-- name: list_attempts
select fence, attempt, claimed_at, started_at, finished_at, outcome, status_after, worker_id, error
from attempts where task_id = ? order by fence

-- name: erase_attempts
delete from attempts where task_id = ?
