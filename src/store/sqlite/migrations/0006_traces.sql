-- The trace that a run is part of, for whoever claims its tasks.
alter table run_tasks add column traceparent text not null default '';
