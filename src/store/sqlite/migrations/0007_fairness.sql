-- Tasks with a fairness key stand in lanes of their own, which are claimed by turns; the others pay nothing.
create table lanes_with_turns (
  id integer primary key,
  namespace text not null,
  queue text not null,
  type text not null,
  priority integer not null,
  of_runs integer not null,
  fair integer not null,
  unique (namespace, queue, type, priority, of_runs, fair)
) strict;
insert into lanes_with_turns select id, namespace, queue, type, priority, of_runs, 0 from lanes;
drop table lanes;
alter table lanes_with_turns rename to lanes;

-- Whose a task is, and what its weight is; only tasks of fair lanes.
create table fair_tasks (
  task_id blob not null primary key,
  key text not null,
  weight real not null
) strict, without rowid;

-- When it is a task's turn; null in lanes that are not fair.
alter table ready add column turn integer;
create unique index ready_by_turn on ready (lane, turn, id) where turn is not null;

-- The end of the last turn that was given in a lane, and where each key goes on.
create table fair_lanes (
  lane integer primary key,
  last integer not null
) strict;

create table fair_keys (
  lane integer not null,
  key text not null,
  next integer not null,
  next_return integer not null,
  primary key (lane, key)
) strict, without rowid;
