-- name: list_lanes_after
-- only: this database because PostgreSQL also compares the last cached lane (list_lanes_from).
select id, namespace, queue, type, priority, of_runs, fair from lanes where id > ? order by id

-- name: insert_lane
-- Ids rise by one under the write lock, so that no process sees a lane before all those with lower ids.
insert into lanes (id, namespace, queue, type, priority, of_runs, fair)
values ((select coalesce(max(id), 0) + 1 from lanes), ?, ?, ?, ?, ?, ?)

-- name: add_lane_counts
insert into lane_counts (lane, pending, scheduled, blocked, claimed, running, dead_letter)
values (?, ?, ?, ?, ?, ?, ?)
on conflict (lane) do update set
  pending = pending + excluded.pending,
  scheduled = scheduled + excluded.scheduled,
  blocked = blocked + excluded.blocked,
  claimed = claimed + excluded.claimed,
  running = running + excluded.running,
  dead_letter = dead_letter + excluded.dead_letter

-- name: find_held
select claimed + running from lane_counts where lane = ?

-- name: list_lane_counts
select l.queue, c.pending, c.scheduled, c.blocked, c.claimed, c.running, c.dead_letter,
  (select r.available_at from ready r where r.lane = l.id order by r.available_at limit 1)
from lanes l left join lane_counts c on c.lane = l.id
where l.namespace = ?
