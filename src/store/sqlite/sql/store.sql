-- The connection itself: transactions and the record of migrations.

-- name: begin_read
begin

-- name: begin_write
-- Immediately, not at the first write: a transaction that reads first and then writes fails if another process wrote
-- in between, and waiting does not help it.
begin immediate

-- name: commit
commit

-- name: data_version
-- only: this database because PostgreSQL nodes always assume foreign commits.
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

-- name: has_file_mark
-- only: this database because PostgreSQL manages its log itself.
select count(*) from sqlite_schema where type = 'table' and name = 'file_mark'

-- name: create_file_mark
-- only: this database because PostgreSQL manages its log itself.
create table if not exists file_mark (
  only_row integer primary key check (only_row = 1),
  id integer not null,
  number integer not null
) strict

-- name: find_file_mark
-- only: this database because PostgreSQL manages its log itself.
select id, number from file_mark

-- name: advance_file_mark
-- only: this database because PostgreSQL manages its log itself.
insert into file_mark (only_row, id, number) values (1, ?, 1)
on conflict (only_row) do update set number = number + 1
returning id, number

-- name: rename_file_mark
-- only: this database because PostgreSQL manages its log itself.
insert into file_mark (only_row, id, number) values (1, random(), 0)
on conflict (only_row) do update set id = excluded.id, number = excluded.number

-- name: touch_tables
-- only: this database because PostgreSQL reports damaged files itself.
-- Reads the first row of each table on the paths of claims and commits.
select count(*) from (
  select 1 from (select * from lanes not indexed limit 1)
  union all select 1 from (select * from tasks not indexed limit 1)
  union all select 1 from (select * from ready not indexed limit 1)
  union all select 1 from (select * from scheduled not indexed limit 1)
  union all select 1 from (select * from leases not indexed limit 1)
  union all select 1 from (select * from finished not indexed limit 1)
  union all select 1 from (select * from attempts not indexed limit 1)
  union all select 1 from (select * from task_keys not indexed limit 1)
  union all select 1 from (select * from key_lines not indexed limit 1)
  union all select 1 from (select * from queues not indexed limit 1)
  union all select 1 from (select * from lane_counts not indexed limit 1)
  union all select 1 from (select * from records not indexed limit 1)
  union all select 1 from (select * from audit not indexed limit 1)
  union all select 1 from (select * from runs not indexed limit 1)
  union all select 1 from (select * from run_states not indexed limit 1)
  union all select 1 from (select * from run_events not indexed limit 1)
)

-- name: find_sizes
-- only: this database because PostgreSQL has system views for this.
select page_size, page_count, freelist_count from pragma_page_size, pragma_page_count, pragma_freelist_count

-- name: backup
-- only: this database because PostgreSQL has its own tools.
-- One snapshot, read concurrently with writers. The copy has no free pages.
vacuum into ?
