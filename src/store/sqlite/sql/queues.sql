-- name: find_queue
select paused, max_concurrency, type_concurrency, rate_limit, rate_per_us, rate_spent_until
from queues where namespace = ? and name = ?

-- name: list_queues
select name, paused, max_concurrency, type_concurrency, rate_limit, rate_per_us, rate_spent_until
from queues where namespace = ?

-- name: put_queue
insert into queues
  (namespace, name, paused, max_concurrency, type_concurrency, rate_limit, rate_per_us, rate_spent_until)
values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (namespace, name) do update set
  paused = excluded.paused,
  max_concurrency = excluded.max_concurrency,
  type_concurrency = excluded.type_concurrency,
  rate_limit = excluded.rate_limit,
  rate_per_us = excluded.rate_per_us,
  rate_spent_until = excluded.rate_spent_until
