-- Everything small and named that is not a task: locks, workers, declared types, tokens and so on. What a body means
-- is known to its kind alone. A change is compared with the version it was decided on.
create table pawl.records (
  kind text collate "C" not null,
  namespace text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  body text not null,
  primary key (kind, namespace, key)
);

-- What wants a look when its time has come; the others cost it nothing.
create index records_by_expiry on pawl.records (kind, expires_at, namespace, key) where expires_at is not null;

-- Who did what, append-only.
create table pawl.audit (
  seq bigint generated always as identity primary key,
  at timestamptz not null,
  namespace text not null,
  actor text not null,
  role text not null,
  action text not null,
  object text not null,
  request_id text not null,
  outcome text not null,
  detail text
);

-- Heartbeats of workers and renewals of locks change the same rows over and over.
alter table pawl.records set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);
