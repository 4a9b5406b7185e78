-- The run that a held task is part of: a run's counts show its claimed tasks as running, and find them here.
alter table leases add column run_id blob;
update leases set run_id = (select x.run_id from run_tasks x where x.task_id = leases.id);
create index leases_of_runs on leases (run_id) where run_id is not null;
