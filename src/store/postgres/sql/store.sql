-- The connection itself: transactions and the record of migrations. Nothing here lasts longer than a transaction, so
-- that a pooler may route each transaction to another server process.

-- name: begin_write
begin isolation level read committed

-- name: begin_read
-- One snapshot for all statements of a read.
begin isolation level repeatable read read only

-- name: commit
commit

-- name: rollback
-- only: this database because SQLite's connection class has its own rollback.
rollback

-- name: start_write
-- only: this database because SQLite's planner has no settings and its transactions have no id.
-- Pins the plans of this transaction: statistics of tables that are filled and emptied all day mislead the planner,
-- and every statement here has one right plan, by index. Where two indexes could serve, ORDER BY selects the right
-- one, because sorting is off. Where two tables are joined, a lateral subquery with OFFSET 0, which the planner does
-- not flatten, determines which one drives. Unless `jit` is off, the pinned costs would start it.
-- A node that stalls inside a transaction (because its machine is suspended, for example) keeps its rows locked for
-- at most 5 s: its operating system still answers the network's probes, so nothing else would inform the server. A
-- wait for a lock ends before the waiting node considers the server lost, which would leave the session waiting
-- without a client.
-- Also returns whether commits wait for a synchronous standby: rows whose wait was canceled are on this server alone.
select clock_timestamp(), pg_current_xact_id()::text::bigint,
  current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local'),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true), set_config('enable_memoize', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('idle_in_transaction_session_timeout', '5s', true), set_config('lock_timeout', '10s', true)

-- name: read_start
-- only: this database because SQLite's file is compared before each commit, and its clock is the host's.
-- The server's identity, the schema version, which another program may have migrated, and the clock with its recorded
-- steps. For a group with an estimated time, expect_start compares them instead: reading them too would make a single
-- step 25 µs slower.
select clock_timestamp(),
  concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid),
  (select max(version) from pawl.schema_migrations),
  (select body from pawl.records where kind = 'clock' and namespace = '' and key = 'store')

-- name: expect_start
-- only: this database because SQLite's transactions are not sent in one piece.
-- For a group that assumed the time, the schema and the server: if one of them was wrong, this statement fails, and
-- so do those after it.
select pawl.expect_rows((coalesce(clock_timestamp() between $1::timestamptz and $2::timestamptz, true)
  and (select max(version) from pawl.schema_migrations) = $3::int4
  and coalesce((select version from pawl.records where kind = 'clock' and namespace = '' and key = 'store'), 0) = $5::int8
  and $4::text = concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid))::int, 1)

-- name: pin_plans
-- only: this database because SQLite's planner has no settings.
-- Also ends a statement that takes too long, before the node considers the server lost and sends it again.
select concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true), set_config('enable_memoize', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('lock_timeout', '10s', true), set_config('statement_timeout', '12s', true)

-- name: now
-- only: this database because SQLite's clock is the host's.
select clock_timestamp(), (select body from pawl.records where kind = 'clock' and namespace = '' and key = 'store')

-- name: identify_server
-- only: this database because SQLite has no replicas.
-- Fails on a standby. Another timeline is another server. A server that crashed may have lost data that was not on
-- disk. Then either it was started again, or it lost its statistics while its first process survived. A restored
-- database has other tables. The same expression is in read_start, pin_plans and expect_start, because behind a
-- pooler a connection may switch to another server.
select concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid)

-- name: find_transaction_status
-- only: this database because SQLite's commit has no reply to lose.
select pg_xact_status($1::text::xid8)

-- name: touch_log
-- only: this database because SQLite has no replicas.
-- Writes something, so that the commit waits for the synchronous standby, which then has all earlier commits too. It
-- writes a log message, not a row: concurrent commits would wait for the lock of the row one by one.
select pg_logical_emit_message(true, 'pawl', '')

-- name: has_migrations
select count(*) from pg_catalog.pg_tables where schemaname = 'pawl' and tablename = 'schema_migrations'

-- name: schema_version
select coalesce(max(version), 0) from pawl.schema_migrations

-- name: list_migrations
select version, name, checksum, applied_at from pawl.schema_migrations order by version

-- name: lock_migrations
-- only: this database because SQLite's BEGIN IMMEDIATE is the lock.
-- The number is 'pawl' in ASCII. Any number would do, but it must never change. Does not wait: the caller retries and
-- reports what it waits for.
select pg_try_advisory_xact_lock(1885435756)

-- name: find_migrator
-- only: this database because SQLite does not show the activity of other processes.
select format('pid %s, %s@%s, application "%s", since %s', a.pid, a.usename, coalesce(host(a.client_addr), 'local'),
  a.application_name, to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
from pg_locks l join pg_stat_activity a on a.pid = l.pid
where l.locktype = 'advisory' and l.classid = 0 and l.objid = 1885435756 and l.granted
  and l.database = (select oid from pg_database where datname = current_database())

-- name: create_schema
-- only: this database because SQLite has no schemas.
create schema if not exists pawl

-- name: create_migrations
create table if not exists pawl.schema_migrations (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null
)

-- name: insert_migration
insert into pawl.schema_migrations (version, name, checksum, applied_at)
values ($1::int4, $2::text, $3::text, clock_timestamp())

-- name: find_size
-- only: this database because SQLite has pragmas for it.
select pg_database_size(current_database())

-- name: find_table_sizes
-- only: this database because SQLite does not count its rows.
select relname, n_live_tup, n_dead_tup, pg_total_relation_size(relid) from pg_stat_user_tables
where schemaname = 'pawl' order by 4 desc, 1

-- name: find_oldest_transaction
-- only: this database because a SQLite reader delays no cleanup except that of the log.
select format('pid %s, %s@%s (%s): %s', pid, usename, datname, state, left(query, 80)),
  (extract(epoch from clock_timestamp() - xact_start) * 1000000)::int8
from pg_stat_activity
where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
order by xact_start limit 1
