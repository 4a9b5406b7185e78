-- name: create_line
-- only: this database because SQLite has one writer and needs no row to lock.
-- A missing line cannot be locked, so it is created. The commit deletes lines that got no head.
insert into pawl.key_lines (namespace, queue, key, head, tail)
select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), null, 0
on conflict do nothing

-- name: find_line
-- In the order given, which is sorted.
select u.ord::int8, l.head, l.tail
from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(namespace, queue, key, ord)
cross join lateral (
  select l.head, l.tail from pawl.key_lines l
  where l.namespace = u.namespace and l.queue = u.queue and l.key = u.key offset 0 for update
) l

-- name: put_line
insert into pawl.key_lines (namespace, queue, key, head, tail)
select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::int8[])
on conflict (namespace, queue, key) do update set head = excluded.head, tail = excluded.tail

-- name: delete_line
with found as materialized (
  select l.address from (
    select unnest($1::text[]) as namespace, unnest($2::text[]) as queue, unnest($3::text[]) as key
  ) u cross join lateral (
    select l.ctid as address from pawl.key_lines l
    where l.namespace = u.namespace and l.queue = u.queue and l.key = u.key offset 0) l
)
delete from pawl.key_lines l using found where l.ctid = found.address
