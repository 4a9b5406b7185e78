-- Runs of which a task failed and waits to be tried again, so that finding the few of them reads no others.
alter table pawl.run_states add column retrying boolean not null default false;
create index run_states_retrying on pawl.run_states (id) where retrying;

update pawl.run_states s set
  retrying = s.state not in ('completed', 'failed', 'compensated', 'compensation_failed', 'cancelled'),
  standing = left(s.standing, -1) || ',"retrying":' || n.count || '}'
from (select run_id, count(*) as count from pawl.run_nodes
      where state = 'pending' and position('"error":{' in body) > 0 group by run_id) n
where s.id = n.run_id;
