-- Each entry of the audit has a hash that covers the one before it. Entries from before this have none; the chain
-- begins behind them. Its sequence is given when an entry is chained, not by the database.
alter table pawl.audit add column hash text not null default '';
alter table pawl.audit alter column seq drop identity;

-- Where the next entry is chained to; its lock is where all nodes that write down something queue up.
insert into pawl.records (kind, namespace, key, version, created_at, updated_at, body)
select 'audit_end', '', 'end', 1, max(at), max(at), '{"hash":"","sequence":' || max(seq) || '}' from pawl.audit
having max(seq) > 0;
