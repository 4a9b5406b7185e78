-- As task_labels, of runs.
create table pawl.run_labels (
  namespace text not null,
  label text not null,
  id uuid not null,
  primary key (namespace, label, id)
);
-- No list is read in the order of this one.
create index run_labels_by_id on pawl.run_labels using hash (id);

-- A damaged row must not keep the schema from being migrated.
create function pawl.readable_labels(labels text) returns jsonb language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
begin
  return case when jsonb_typeof(labels::jsonb) = 'object' then labels::jsonb else '{}'::jsonb end;
exception when others then
  return '{}'::jsonb;
end $$;

insert into pawl.run_labels (namespace, label, id)
select r.namespace, left(e.key || '=' || e.value, 200), r.id
from pawl.runs r cross join lateral jsonb_each_text(pawl.readable_labels(r.labels)) e
where r.labels is not null and e.value is not null
on conflict do nothing;

drop function pawl.readable_labels(text);
