-- The classic queue table that the benchmarks compare with (store/baseline.hpp); no part of the engine.

-- name: baseline_create
create table if not exists baseline_tasks (
  id integer primary key, status text not null, payload text not null, worker text, output text);
create index if not exists baseline_pending on baseline_tasks (status, id);

-- name: baseline_enqueue
insert into baseline_tasks (status, payload) values ('pending', ?);

-- name: baseline_claim
update baseline_tasks set status = 'claimed', worker = 'w'
where id = (select id from baseline_tasks where status = 'pending' order by id limit 1)
returning id, payload;

-- name: baseline_complete
update baseline_tasks set status = 'completed', output = 'null' where id = ? and status = 'claimed';
