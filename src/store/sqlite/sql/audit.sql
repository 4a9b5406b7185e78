-- name: insert_audit
insert into audit (seq, at, namespace, actor, role, action, object, request_id, outcome, detail, hash)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: list_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail, hash
from audit where seq < ? order by seq desc limit ?

-- name: list_oldest_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail, hash
from audit where seq > ? order by seq limit ?

-- name: erase_audit
delete from audit where seq <= ?
