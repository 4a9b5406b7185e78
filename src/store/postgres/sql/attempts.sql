-- name: insert_attempt
insert into pawl.attempts (task_id, fence, attempt, claimed_at, started_at, finished_at, outcome, status_after,
  worker_id, error)
select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::int4[]), unnest($4::timestamptz[]),
  unnest($5::timestamptz[]), unnest($6::timestamptz[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]),
  unnest($10::text[])

-- name: find_attempt
select u.ord::int8, a.fence, a.attempt, a.claimed_at, a.started_at, a.finished_at, a.outcome, a.status_after,
  a.worker_id, a.error
from unnest($1::uuid[], $2::int8[]) with ordinality u(task_id, fence, ord)
cross join lateral (select * from pawl.attempts a where a.task_id = u.task_id and a.fence = u.fence offset 0) a

-- name: list_attempts
select task_id, fence, attempt, claimed_at, started_at, finished_at, outcome, status_after, worker_id, error
from pawl.attempts where task_id = any($1::uuid[]) order by task_id, fence

-- name: erase_attempts
delete from pawl.attempts where task_id = any($1::uuid[])
