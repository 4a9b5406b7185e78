-- name: insert_scheduled
insert into pawl.scheduled (id, lane, attempt, fence, budget_from, available_at)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[])

-- name: find_scheduled
select id, lane, attempt, fence, budget_from, available_at, ctid
from pawl.scheduled where id = any($1::uuid[]) order by id for update

-- name: delete_scheduled
with gone as (
  delete from pawl.scheduled s using (
    select unnest($1::tid[]) as address, unnest($2::uuid[]) as id, unnest($3::int8[]) as fence) u
  where s.ctid = u.address and s.id is not distinct from u.id and s.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone

-- name: list_due_tasks
select available_at, id from pawl.scheduled where available_at >= $1::timestamptz
order by available_at, id limit $2::int8
