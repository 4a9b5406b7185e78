-- Runs of which a task failed and waits to be tried again, so that finding the few of them reads no others.
alter table run_states add column retrying integer not null default 0;
create index run_states_retrying on run_states (id) where retrying = 1;

update run_states set
  retrying = state not in ('completed', 'failed', 'compensated', 'compensation_failed', 'cancelled'),
  standing = substr(standing, 1, length(standing) - 1) || ',"retrying":' ||
    (select count(*) from run_nodes n
     where n.run_id = run_states.id and n.state = 'pending' and instr(n.body, '"error":{') > 0) || '}'
where id in (select run_id from run_nodes where state = 'pending' and instr(body, '"error":{') > 0);
