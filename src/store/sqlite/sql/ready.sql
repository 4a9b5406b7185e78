-- name: insert_ready
insert or rollback into ready (lane, available_at, id, attempt, fence, budget_from) values (?, ?, ?, ?, ?, ?)

-- name: find_ready
select lane, attempt, fence, budget_from, available_at from ready where id = ?

-- name: delete_ready
delete from ready where id = ? and fence = ?

-- name: list_ready
-- only: this database because PostgreSQL reads and deletes in one statement.
-- The next tasks of a lane after (available_at, id).
select available_at, id, attempt, fence, budget_from
from ready where lane = ? and (available_at, id) > (?, ?)
order by available_at, id limit ?

-- name: take_ready
-- The first tasks of a lane up to (available_at, id), as list_ready returned them in this transaction.
delete from ready where lane = ? and (available_at, id) <= (?, ?)
