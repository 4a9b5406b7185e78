-- Everything small and named that is not a task: locks, workers, declared types, tokens and so on. What a body means
-- is known to its kind alone. A change is compared with the version it was decided on.
create table records (
  kind text not null,
  namespace text not null,
  key text not null,
  version integer not null,
  expires_at integer,
  created_at integer not null,
  updated_at integer not null,
  body text not null,
  primary key (kind, namespace, key)
) strict, without rowid;

-- What wants a look when its time has come; the others cost it nothing.
create index records_by_expiry on records (kind, expires_at, namespace, key) where expires_at is not null;

-- Who did what, append-only.
create table audit (
  seq integer primary key autoincrement,
  at integer not null,
  namespace text not null,
  actor text not null,
  role text not null,
  action text not null,
  object text not null,
  request_id text not null,
  outcome text not null,
  detail text
) strict;
