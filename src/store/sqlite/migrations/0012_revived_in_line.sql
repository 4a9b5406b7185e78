-- Tasks that were sent back by hand share a position before all others of their line, and stand there by their ids.
alter table waiting rename to waiting_before;

create table waiting (
  namespace text not null,
  queue text not null,
  key text not null,
  position integer not null,
  id blob not null unique,
  lane integer not null,
  available_at integer not null,
  attempt integer not null,
  fence integer not null,
  budget_from integer not null,
  primary key (namespace, queue, key, position, id)
) strict, without rowid;

insert into waiting (namespace, queue, key, position, id, lane, available_at, attempt, fence, budget_from)
select namespace, queue, key, position, id, lane, available_at, attempt, fence, budget_from from waiting_before;

drop table waiting_before;
