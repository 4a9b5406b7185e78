-- name: insert_checkpoint
-- The owner's row is locked, so nobody else can give the same number. Several of one owner are numbered in order.
insert into pawl.checkpoints (owner, sequence, type, created_at, metadata, snapshot)
select u.owner,
  coalesce((select max(c.sequence) from pawl.checkpoints c where c.owner = u.owner), 0)
    + row_number() over (partition by u.owner order by u.ord),
  u.type, u.created_at, u.metadata, u.snapshot
from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[]) with ordinality
  u(owner, type, created_at, metadata, snapshot, ord)

-- name: list_checkpoints
select sequence, type, snapshot, metadata, created_at from pawl.checkpoints where owner = $1::uuid order by sequence
