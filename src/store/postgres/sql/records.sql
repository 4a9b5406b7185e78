-- name: find_record
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from pawl.records where kind = $1::text and namespace = $2::text and key = $3::text

-- name: lock_record
-- only: this database because SQLite has one writer.
-- In the order given, which is sorted. Missing records are not locked: if two groups create the same one, the primary
-- key rejects the second, which retries.
select u.ord::int8, r.kind, r.namespace, r.key, r.version, r.body, r.expires_at, r.created_at, r.updated_at
from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(kind, namespace, key, ord)
cross join lateral (
  select * from pawl.records r
  where r.kind = u.kind and r.namespace = u.namespace and r.key = u.key offset 0 for update) r

-- name: lock_record_if_free
-- only: this database because SQLite has one writer.
select 1 from pawl.records where kind = $1::text and namespace = $2::text and key = $3::text for update skip locked

-- name: list_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from pawl.records where kind = $1::text and namespace = $2::text and key > $3::text order by key limit $4::int8

-- name: list_due_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from pawl.records where kind = $1::text and expires_at <= $2::timestamptz
order by expires_at, namespace, key limit $3::int8

-- name: insert_record
insert into pawl.records (kind, namespace, key, version, body, expires_at, created_at, updated_at)
select unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::int8[]), unnest($5::text[]),
  unnest($6::timestamptz[]), unnest($7::timestamptz[]), unnest($8::timestamptz[])

-- name: update_record
with changed as (
  update pawl.records r set version = u.version, body = u.body, expires_at = u.expires_at,
    created_at = u.created_at, updated_at = u.updated_at
  from (select unnest($1::text[]) as kind, unnest($2::text[]) as namespace, unnest($3::text[]) as key,
    unnest($4::int8[]) as version, unnest($5::text[]) as body, unnest($6::timestamptz[]) as expires_at,
    unnest($7::timestamptz[]) as created_at, unnest($8::timestamptz[]) as updated_at,
    unnest($9::int8[]) as version_before) u
  where r.kind = u.kind and r.namespace = u.namespace and r.key = u.key and r.version = u.version_before returning 1
)
select pawl.expect_rows(count(*), $10::int8) from changed

-- name: delete_record
with gone as (
  delete from pawl.records r using (select unnest($1::text[]) as kind, unnest($2::text[]) as namespace,
    unnest($3::text[]) as key, unnest($4::int8[]) as version) u
  where r.kind = u.kind and r.namespace = u.namespace and r.key = u.key and r.version = u.version returning 1
)
select pawl.expect_rows(count(*), $5::int8) from gone

-- name: list_all_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from pawl.records where kind = $1::text and (namespace, key) > ($2::text, $3::text)
order by namespace, key limit $4::int8

-- name: put_clock
-- The version is the number of steps. Of the nodes that observe a step, only the first records it.
insert into pawl.records (kind, namespace, key, version, body, expires_at, created_at, updated_at)
values ($1::text, $2::text, $3::text, $4::int8, $5::text, null, $6::timestamptz, $6::timestamptz)
on conflict (kind, namespace, key) do update set version = excluded.version, body = excluded.body,
  updated_at = excluded.updated_at where records.version = excluded.version - 1
