-- name: insert_audit
insert into audit (at, namespace, actor, role, action, object, request_id, outcome, detail)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: list_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail
from audit where seq < ? order by seq desc limit ?
