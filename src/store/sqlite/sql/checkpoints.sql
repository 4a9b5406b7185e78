-- name: insert_checkpoint
insert into checkpoints (owner, sequence, type, created_at, metadata, snapshot)
values (?1, (select coalesce(max(sequence), 0) + 1 from checkpoints where owner = ?1), ?2, ?3, ?4, ?5)

-- name: list_checkpoints
select sequence, type, snapshot, metadata, created_at from checkpoints where owner = ? order by sequence
