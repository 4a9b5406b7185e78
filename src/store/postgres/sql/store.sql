-- The connection itself: transactions, the record of migrations. Nothing here lasts longer than a transaction, so
-- that a pooler may hand each of them to another server process.

-- name: begin_write
begin isolation level read committed

-- name: begin_read
-- One snapshot for the statements of one answer.
begin isolation level repeatable read read only

-- name: commit
commit

-- name: rollback
-- only: this database because SQLite's connection rolls back by itself.
rollback

-- name: start_write
-- only: this database because SQLite's planner has no settings and its transactions no number.
-- Plans are pinned for this transaction: statistics of tables that are filled and emptied all day mislead the
-- planner, and every statement here has one right plan, by index. Where two indexes could serve, ORDER BY names the
-- right one, as sorting is off; where two tables are joined, a lateral subquery with OFFSET 0, which the planner does
-- not flatten, says which one drives. Without `jit` off the pinned costs would start it.
-- A node that stands still in the middle (its machine is suspended, say) keeps its rows locked no longer than 5 s: its
-- system goes on to answer the network's probes, so that nothing else would tell the server. Who waits for a lock is
-- told so before its node takes the server for lost, which would leave it waiting there with nobody to tell.
-- Whether commits wait for a synchronous standby: rows whose wait was canceled are on this server alone.
select clock_timestamp(), pg_current_xact_id()::text::bigint,
  current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local'),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true), set_config('enable_memoize', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('idle_in_transaction_session_timeout', '5s', true), set_config('lock_timeout', '10s', true)

-- name: read_start
-- only: this database because SQLite's file is compared before each commit, and its clock is that of its host.
-- The server, the schema's version, which another program may have migrated, and the clock with its recorded steps. A group that
-- goes by a guess has them compared by expect_start instead: reading them too would take a step alone 25 µs longer.
select clock_timestamp(),
  concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid),
  (select max(version) from pawl.schema_migrations),
  (select body from pawl.records where kind = 'clock' and namespace = '' and key = 'store')

-- name: expect_start
-- only: this database because SQLite's transactions are not sent in one piece.
-- Of a group that went by a guess of the time, of the schema and of the server: nothing behind it is done if one of them
-- was wrong.
select pawl.expect_rows((coalesce(clock_timestamp() between $1::timestamptz and $2::timestamptz, true)
  and (select max(version) from pawl.schema_migrations) = $3::int4
  and coalesce((select version from pawl.records where kind = 'clock' and namespace = '' and key = 'store'), 0) = $5::int8
  and $4::text = concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid))::int, 1)

-- name: pin_plans
-- only: this database because SQLite's planner has no settings.
-- What takes too long is ended here, before the node takes the server for lost and asks once more.
select concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true), set_config('enable_memoize', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('lock_timeout', '10s', true), set_config('statement_timeout', '12s', true)

-- name: now
-- only: this database because SQLite's clock is that of its host.
select clock_timestamp(), (select body from pawl.records where kind = 'clock' and namespace = '' and key = 'store')

-- name: identify_server
-- only: this database because SQLite has no replicas.
-- Fails on a standby. Another timeline is another server. One that crashed may have lost what was not on disk; then it
-- started again, or lost its statistics while its first process lived on. A restored database has other tables. The same
-- expression is in read_start, pin_plans and expect_start: behind a pooler a connection may move on to another server.
select concat_ws('/', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch from pg_postmaster_start_time()),
  extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), to_regclass('pawl.lanes')::oid)

-- name: find_transaction_status
-- only: this database because SQLite's commit has no reply to lose.
select pg_xact_status($1::text::xid8)

-- name: touch_log
-- only: this database because SQLite has no replicas.
-- Writes something, so that the commit waits for the synchronous standby, which then has all earlier commits too.
-- A message of the log and no row: commits that wait at the same time would wait for the row's lock one by one.
select pg_logical_emit_message(true, 'pawl', '')

-- name: has_migrations
select count(*) from pg_catalog.pg_tables where schemaname = 'pawl' and tablename = 'schema_migrations'

-- name: schema_version
select coalesce(max(version), 0) from pawl.schema_migrations

-- name: list_migrations
select version, name, checksum, applied_at from pawl.schema_migrations order by version

-- name: lock_migrations
-- only: this database because SQLite's BEGIN IMMEDIATE is the lock.
-- The number is 'pawl' in ASCII; any would do, but it must never change. It does not wait: the caller tries again and
-- reports what it waits for.
select pg_try_advisory_xact_lock(1885435756)

-- name: find_migrator
-- only: this database because SQLite does not show what other processes do.
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
-- only: this database because a reader of SQLite keeps nothing from being cleaned up but the log.
select format('pid %s, %s@%s (%s): %s', pid, usename, datname, state, left(query, 80)),
  (extract(epoch from clock_timestamp() - xact_start) * 1000000)::int8
from pg_stat_activity
where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
order by xact_start limit 1
