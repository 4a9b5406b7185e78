-- The connection itself: transactions, the record of migrations.

-- name: begin_read
begin

-- name: begin_write
-- At once and not at the first write: a transaction that reads first and then wants to write is refused when
-- another process wrote in between, and no wait helps it.
begin immediate

-- name: commit
commit

-- name: data_version
-- only: this database because PostgreSQL tells of foreign commits with NOTIFY.
pragma data_version

-- name: has_migrations
select count(*) from sqlite_schema where type = 'table' and name = 'schema_migrations'

-- name: schema_version
select coalesce(max(version), 0) from schema_migrations

-- name: list_migrations
select version, name, checksum, applied_at from schema_migrations order by version

-- name: create_migrations
create table if not exists schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at integer not null
) strict

-- name: insert_migration
insert into schema_migrations (version, name, checksum, applied_at) values (?, ?, ?, ?)

-- name: find_sizes
-- only: this database because PostgreSQL has views of its own for it.
select page_size, page_count, freelist_count from pragma_page_size, pragma_page_count, pragma_freelist_count

-- name: backup
-- only: this database because PostgreSQL has its own tools.
-- One snapshot, read beside the writers; the copy has no holes.
vacuum into ?
