-- name: insert_audit
insert into pawl.audit (seq, at, namespace, actor, role, action, object, request_id, outcome, hash, detail)
select unnest($1::int8[]), unnest($2::timestamptz[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
  unnest($11::text[])

-- name: list_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail, hash
from pawl.audit where seq < $1::int8 order by seq desc limit $2::int8

-- name: list_oldest_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail, hash
from pawl.audit where seq > $1::int8 order by seq limit $2::int8

-- name: erase_audit
delete from pawl.audit where seq <= $1::int8
