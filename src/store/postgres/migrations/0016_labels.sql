-- Which tasks have a label, by id: a list by a label reads no more than its page. Tasks without labels have no row.
-- `label` is the beginning of NAME=VALUE, as an index has no room for longer ones: lists compare the whole label.
create table pawl.task_labels (
  namespace text not null,
  label text not null,
  id uuid not null,
  primary key (namespace, label, id)
);
-- No list is read in the order of this one.
create index task_labels_by_id on pawl.task_labels using hash (id);

-- A damaged row must not keep the schema from being migrated.
create function pawl.readable_labels(labels text) returns jsonb language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
begin
  return case when jsonb_typeof(labels::jsonb) = 'object' then labels::jsonb else '{}'::jsonb end;
exception when others then
  return '{}'::jsonb;
end $$;

insert into pawl.task_labels (namespace, label, id)
select l.namespace, left(e.key || '=' || e.value, 200), t.id
from pawl.tasks t join pawl.lanes l on l.id = t.lane
cross join lateral jsonb_each_text(pawl.readable_labels(t.labels)) e
where t.labels is not null and e.value is not null
on conflict do nothing;

drop function pawl.readable_labels(text);
