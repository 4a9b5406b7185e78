-- name: insert_finished
-- A task whose row in `tasks` is gone ends with a number below all others: one of its own would be given again.
insert or rollback into finished
  (seq, id, lane, status, attempt, fence, budget_from, available_at, end_fence, claimed_at, started_at, finished_at,
   worker_id, error, output)
values (coalesce((select seq from tasks where id = ?), (select min(coalesce(min(seq), 0), 0) - 1 from finished)),
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_finished
select lane, attempt, fence, budget_from, available_at, status, end_fence, claimed_at, started_at, finished_at,
  worker_id, error, output
from finished where seq = (select seq from tasks where id = ?)

-- name: delete_finished
delete from finished where seq = (select seq from tasks where id = ?) and fence = ?

-- name: list_finished
-- The tasks are walked by id, which is in their index with the row's number; of each the end is looked up, if it has
-- one. So many rows are looked at and no more, finished or not.
select t.id, f.lane, f.status, f.finished_at
from (select id, seq from tasks where id > ? and id < ? order by id limit ?) t left join finished f on f.seq = t.seq
order by t.id

-- name: lock_finished
-- Locks nothing: there is one writer.
select lane, status, finished_at from finished where seq = (select seq from tasks where id = ?)

-- name: erase_finished
delete from finished where seq = ?
