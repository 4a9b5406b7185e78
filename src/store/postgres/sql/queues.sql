-- name: find_queue
select u.ord::int8, q.paused, q.max_concurrency, q.type_concurrency, q.rate_limit, q.rate_per_us, q.rate_spent_until
from unnest($1::text[], $2::text[]) with ordinality u(namespace, name, ord)
cross join lateral (
  select * from pawl.queues q where q.namespace = u.namespace and q.name = u.name offset 0) q

-- name: lock_queue
-- only: this database because SQLite has one writer.
-- In the order given, which is sorted.
select u.ord::int8, q.paused, q.max_concurrency, q.type_concurrency, q.rate_limit, q.rate_per_us, q.rate_spent_until
from unnest($1::text[], $2::text[]) with ordinality u(namespace, name, ord)
cross join lateral (
  select * from pawl.queues q where q.namespace = u.namespace and q.name = u.name offset 0 for update) q

-- name: list_queues
select name, paused, max_concurrency, type_concurrency, rate_limit, rate_per_us, rate_spent_until
from pawl.queues where namespace = $1::text

-- name: put_queue
insert into pawl.queues (namespace, name, paused, max_concurrency, type_concurrency, rate_limit, rate_per_us,
  rate_spent_until)
select unnest($1::text[]), unnest($2::text[]), unnest($3::bool[]), unnest($4::int8[]), unnest($5::text[]),
  unnest($6::int8[]), unnest($7::int8[]), unnest($8::timestamptz[])
on conflict (namespace, name) do update set
  paused = excluded.paused,
  max_concurrency = excluded.max_concurrency,
  type_concurrency = excluded.type_concurrency,
  rate_limit = excluded.rate_limit,
  rate_per_us = excluded.rate_per_us,
  rate_spent_until = excluded.rate_spent_until
