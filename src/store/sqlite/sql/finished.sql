-- name: insert_finished
-- A task whose row in `tasks` is missing gets a random negative number: an automatic one would later be assigned to
-- another task. A second subquery for it would cost an eighth of the instructions for ending a task.
insert or rollback into finished
  (seq, id, lane, status, attempt, fence, budget_from, available_at, end_fence, claimed_at, started_at, finished_at,
   worker_id, error, output)
values (coalesce((select seq from tasks where id = ?), -9223372036854775808 | random()),
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_finished
select lane, attempt, fence, budget_from, available_at, status, end_fence, claimed_at, started_at, finished_at,
  worker_id, error, output
from finished where seq = (select seq from tasks where id = ?)

-- name: delete_finished
delete from finished where seq = (select seq from tasks where id = ?) and fence = ?

-- name: list_finished
-- Scans tasks by id, using their index, which also has the row number, and looks up the end of each, if it has one.
-- Scans no more rows than the limit, finished or not.
select t.id, f.lane, f.status, f.finished_at
from (select id, seq from tasks where id > ? and id < ? order by id limit ?) t left join finished f on f.seq = t.seq
order by t.id

-- name: lock_finished
-- Locks nothing, because there is one writer.
select lane, status, finished_at from finished where seq = (select seq from tasks where id = ?)

-- name: erase_finished
delete from finished where seq = ?
