-- name: insert_ready
insert or rollback into ready (lane, available_at, id, attempt, fence, budget_from) values (?, ?, ?, ?, ?, ?)

-- name: find_ready
select lane, attempt, fence, budget_from, available_at from ready where id = ?

-- name: delete_ready
delete from ready where id = ? and fence = ?

-- name: list_ready
-- only: this database because PostgreSQL looks and takes in one statement.
-- The next ones of a lane after (available_at, id).
select available_at, id, attempt, fence, budget_from
from ready where lane = ? and (available_at, id) > (?, ?)
order by available_at, id limit ?

-- name: take_ready
-- The first ones of a lane up to (available_at, id): what list_ready showed in this same transaction.
delete from ready where lane = ? and (available_at, id) <= (?, ?)
