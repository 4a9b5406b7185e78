-- name: insert_finished
insert into pawl.finished (id, lane, attempt, fence, budget_from, available_at, status, worker_id, end_fence,
  claimed_at, started_at, finished_at, output, error)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[]), unnest($7::text[]), unnest($8::text[]), unnest($9::int8[]), unnest($10::timestamptz[]),
  unnest($11::timestamptz[]), unnest($12::timestamptz[]), unnest($13::text[]), unnest($14::text[])

-- name: insert_plain_finished
-- only: this database because each array that a statement unfolds costs as much as a column that it stores.
-- The common case of insert_finished: completed by the first claim.
insert into pawl.finished (id, lane, available_at, status, worker_id, claimed_at, started_at, finished_at, output)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::timestamptz[]), 'completed', unnest($4::text[]),
  unnest($5::timestamptz[]), unnest($6::timestamptz[]), $8::timestamptz, unnest($7::text[])

-- name: find_finished
select id, lane, coalesce(attempt, 1), coalesce(fence, 1), coalesce(budget_from, 0), available_at,
  status, worker_id, coalesce(end_fence, 1), claimed_at, started_at, finished_at, output, error, ctid
from pawl.finished where id = any($1::uuid[]) order by id for update

-- name: delete_finished
with gone as (
  delete from pawl.finished f using (
    select unnest($1::tid[]) as address, unnest($2::uuid[]) as id, unnest($3::int8[]) as fence) u
  where f.ctid = u.address and f.id is not distinct from u.id and coalesce(f.fence, 1) = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: list_finished
-- By the primary key, whose order is oldest first.
select id, lane, status, finished_at from pawl.finished
where id > $1::uuid and id < $2::uuid order by id limit $3::int8

-- name: lock_finished
select id, lane, status, finished_at from pawl.finished where id = any($1::uuid[]) order by id for update

-- name: erase_finished
with gone as (delete from pawl.finished where id = any($1::uuid[]) returning 1)
select pawl.expect_rows(count(*), $2::int8) from gone
