-- name: insert_finished
insert or rollback into finished
  (seq, id, lane, status, attempt, fence, budget_from, available_at, end_fence, claimed_at, started_at, finished_at,
   worker_id, error, output)
values ((select seq from tasks where id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_finished
select lane, attempt, fence, budget_from, available_at, status, end_fence, claimed_at, started_at, finished_at,
  worker_id, error, output
from finished where seq = (select seq from tasks where id = ?)

-- name: delete_finished
delete from finished where seq = (select seq from tasks where id = ?) and fence = ?
