-- name: insert_checkpoint
-- The owner's row is locked, so no other transaction can assign the same number. Several checkpoints of one owner are
-- numbered in order.
insert into pawl.checkpoints (owner, sequence, type, created_at, metadata, snapshot)
select u.owner,
  coalesce((select max(c.sequence) from pawl.checkpoints c where c.owner = u.owner), 0)
    + row_number() over (partition by u.owner order by u.ord),
  u.type, u.created_at, u.metadata, u.snapshot
from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[]) with ordinality
  u(owner, type, created_at, metadata, snapshot, ord)

-- name: append_checkpoint
-- With the sequence that the caller already has. Where the owner's row is not locked (it waits in line), the primary
-- key rejects a duplicate.
insert into pawl.checkpoints (owner, sequence, type, created_at, metadata, snapshot)
select unnest($1::uuid[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::text[]),
  unnest($6::text[])

-- name: find_last_checkpoint
select coalesce((select max(c.sequence) from pawl.checkpoints c where c.owner = u.owner), 0)
from unnest($1::uuid[]) with ordinality u(owner, ord)

-- name: list_checkpoints
select sequence, type, snapshot, metadata, created_at from pawl.checkpoints
where owner = $1::uuid and ($2::text is null or type = $2::text) order by sequence

-- name: find_latest_checkpoint
select sequence, type, snapshot, metadata, created_at from pawl.checkpoints
where owner = $1::uuid and ($2::text is null or type = $2::text) order by sequence desc limit 1

-- name: summarize_checkpoints
select type, count(*), max(sequence), min(created_at), max(created_at)
from pawl.checkpoints where owner = $1::uuid group by type

-- name: trim_checkpoints
delete from pawl.checkpoints c using (
  select c.address from unnest($1::uuid[], $2::int8[]) u(owner, sequence)
  cross join lateral (
    select c.ctid as address from pawl.checkpoints c
    where c.owner = u.owner and c.sequence <= u.sequence offset 0) c
) gone
where c.ctid = gone.address

-- name: erase_checkpoints
delete from pawl.checkpoints where owner = any($1::uuid[])
