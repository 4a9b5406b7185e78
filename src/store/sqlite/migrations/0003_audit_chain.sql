-- Each entry of the audit has a hash that covers the one before it. Entries from before this have none; the chain
-- begins behind them.
alter table audit add column hash text not null default '';

-- Where the next entry is chained to.
insert into records (kind, namespace, key, version, created_at, updated_at, body)
select 'audit_end', '', 'end', 1, max(at), max(at), '{"hash":"","sequence":' || max(seq) || '}' from audit having max(seq) > 0;
