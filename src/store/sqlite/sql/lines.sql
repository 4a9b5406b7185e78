-- name: find_line
select head, tail from key_lines where namespace = ? and queue = ? and key = ?

-- name: put_line
insert into key_lines (namespace, queue, key, head, tail) values (?, ?, ?, ?, ?)
on conflict (namespace, queue, key) do update set head = excluded.head, tail = excluded.tail

-- name: delete_line
delete from key_lines where namespace = ? and queue = ? and key = ?
