-- The run that a held task is part of: a run's counts show its claimed tasks as running, and find them here.
alter table pawl.leases add column run_id uuid;
update pawl.leases l set run_id = x.run_id from pawl.run_tasks x where x.task_id = l.id;
create index leases_of_runs on pawl.leases (run_id) where run_id is not null;
