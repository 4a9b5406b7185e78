-- name: find_record
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from records where kind = ? and namespace = ? and key = ?

-- name: list_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from records where kind = ? and namespace = ? and key > ? order by key limit ?

-- name: list_due_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from records where kind = ? and expires_at <= ? order by expires_at, namespace, key limit ?

-- name: insert_record
-- Changes nothing if the row exists. The caller checks the row count.
insert or ignore into records (kind, namespace, key, version, body, expires_at, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?)

-- name: update_record
update records set version = ?, body = ?, expires_at = ?, created_at = ?, updated_at = ?
where kind = ? and namespace = ? and key = ? and version = ?

-- name: delete_record
delete from records where kind = ? and namespace = ? and key = ? and version = ?

-- name: list_all_records
select kind, namespace, key, version, body, expires_at, created_at, updated_at
from records where kind = ?1 and (namespace, key) > (?2, ?3) order by namespace, key limit ?4

-- name: put_clock
-- The version is the number of steps, so a process with fewer steps changes nothing.
insert into records (kind, namespace, key, version, body, expires_at, created_at, updated_at)
values (?1, ?2, ?3, ?4, ?5, null, ?6, ?6)
on conflict (kind, namespace, key) do update set version = excluded.version, body = excluded.body,
  updated_at = excluded.updated_at where excluded.version > records.version
