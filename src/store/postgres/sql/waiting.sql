-- name: insert_waiting
insert into pawl.waiting (id, lane, attempt, fence, budget_from, available_at, namespace, queue, key, position)
select unnest($1::uuid[]), unnest($2::int4[]), unnest($3::int4[]), unnest($4::int8[]), unnest($5::int4[]),
  unnest($6::timestamptz[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::int8[])

-- name: find_waiting
-- Not locked: a transaction that moves a waiting task holds its line, and a group locks lines after tasks. With a
-- lock here, a transaction that holds the line and needs its first task could deadlock with one that holds that task
-- and needs the line.
select id, lane, attempt, fence, budget_from, available_at from pawl.waiting where id = any($1::uuid[])

-- name: delete_waiting
with found as materialized (
  select w.address from (select unnest($1::uuid[]) as id, unnest($2::int8[]) as fence) u cross join lateral (
    select w.ctid as address from pawl.waiting w where w.id = u.id and w.fence = u.fence offset 0) w
), gone as (
  delete from pawl.waiting w using found where w.ctid = found.address returning 1
)
select pawl.expect_rows(count(*), $3::int8) from gone

-- name: list_first_waiting
select w.id, w.lane, w.attempt, w.fence, w.budget_from, w.available_at,
  t.created_at, t.timeout_us, t.key, t.idempotency_key, t.retry, t.labels, t.payload
from (
  select * from pawl.waiting
  where namespace = $1::text and queue = $2::text and key = $3::text order by position, id limit $4::int8
) w left join lateral (select * from pawl.tasks t where t.id = w.id offset 0) t on true
order by w.position, w.id
