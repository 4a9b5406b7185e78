-- name: create_line
-- only: this database because SQLite has one writer and needs no row to lock.
-- A line that does not exist cannot be locked, so it is made; the commit takes away what got no head.
insert into pawl.key_lines (namespace, queue, key, head, tail)
select u.namespace, u.queue, u.key, null, 0 from unnest($1::text[], $2::text[], $3::text[]) u(namespace, queue, key)
on conflict do nothing

-- name: find_line
-- In the order given, which is sorted: the rows are locked as the join finds them.
select u.ord::int8, l.head, l.tail
from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(namespace, queue, key, ord)
join pawl.key_lines l on l.namespace = u.namespace and l.queue = u.queue and l.key = u.key
for update of l

-- name: put_line
insert into pawl.key_lines (namespace, queue, key, head, tail)
select * from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::int8[])
on conflict (namespace, queue, key) do update set head = excluded.head, tail = excluded.tail

-- name: delete_line
delete from pawl.key_lines l using unnest($1::text[], $2::text[], $3::text[]) u(namespace, queue, key)
where l.namespace = u.namespace and l.queue = u.queue and l.key = u.key
