-- Tasks with a fairness key stand in lanes of their own, which are claimed by turns; the others pay nothing.
alter table pawl.lanes add column fair boolean not null default false;
alter table pawl.lanes drop constraint lanes_namespace_queue_type_priority_of_runs_key;
alter table pawl.lanes add unique (namespace, queue, type, priority, of_runs, fair);

-- Whose a task is, and what its weight is; only tasks of fair lanes.
create table pawl.fair_tasks (
  task_id uuid primary key,
  weight float8 not null,
  key text collate "C" not null
);

-- When it is a task's turn; null in lanes that are not fair.
alter table pawl.ready add column turn bigint;
create unique index ready_by_turn on pawl.ready (lane, turn, id) where turn is not null;

-- The end of the last turn that was given in a lane: who gives one holds this row locked. And where each key goes on.
create table pawl.fair_lanes (
  lane int primary key,
  last bigint not null
);

create table pawl.fair_keys (
  lane int not null,
  next bigint not null,
  next_return bigint not null,
  key text collate "C" not null,
  primary key (lane, key)
);

alter table pawl.fair_lanes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
alter table pawl.fair_keys set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1);
