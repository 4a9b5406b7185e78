-- name: insert_finished
insert into pawl.finished (id, lane, attempt, fence, budget_from, available_at, status, worker_id, end_fence,
  claimed_at, started_at, finished_at, output, error)
select * from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int8[], $5::int4[], $6::timestamptz[], $7::text[],
  $8::text[], $9::int8[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::text[])

-- name: find_finished
select id, lane, attempt, fence, budget_from, available_at,
  status, worker_id, end_fence, claimed_at, started_at, finished_at, output, error, ctid
from pawl.finished where id = any($1::uuid[]) order by id for update

-- name: delete_finished
with gone as (
  delete from pawl.finished f using unnest($1::tid[], $2::uuid[], $3::int8[]) u(address, id, fence)
  where f.ctid = u.address and f.id is not distinct from u.id and f.fence = u.fence returning 1
)
select pawl.expect_rows(count(*), $4::int8) from gone
