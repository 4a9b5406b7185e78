-- name: insert_checkpoint
insert into checkpoints (owner, sequence, type, created_at, metadata, snapshot)
values (?1, (select coalesce(max(sequence), 0) + 1 from checkpoints where owner = ?1), ?2, ?3, ?4, ?5)

-- name: append_checkpoint
-- With the sequence that the caller already has.
insert into checkpoints (owner, sequence, type, created_at, metadata, snapshot) values (?, ?, ?, ?, ?, ?)

-- name: find_last_checkpoint
select coalesce(max(sequence), 0) from checkpoints where owner = ?

-- name: list_checkpoints
select sequence, type, snapshot, metadata, created_at from checkpoints
where owner = ?1 and (?2 is null or type = ?2) order by sequence

-- name: find_latest_checkpoint
select sequence, type, snapshot, metadata, created_at from checkpoints
where owner = ?1 and (?2 is null or type = ?2) order by sequence desc limit 1

-- name: summarize_checkpoints
select type, count(*), max(sequence), min(created_at), max(created_at) from checkpoints where owner = ? group by type

-- name: trim_checkpoints
delete from checkpoints where owner = ? and sequence <= ?

-- name: erase_checkpoints
delete from checkpoints where owner = ?
