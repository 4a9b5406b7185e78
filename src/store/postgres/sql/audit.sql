-- name: insert_audit
insert into pawl.audit (at, namespace, actor, role, action, object, request_id, outcome, detail)
select $1::timestamptz, unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[])

-- name: list_audit
select seq, at, namespace, actor, role, action, object, request_id, outcome, detail
from pawl.audit where seq < $1::int8 order by seq desc limit $2::int8
