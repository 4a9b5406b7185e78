-- As task_labels, of runs.
create table run_labels (
  namespace text not null,
  label text not null,
  id blob not null,
  primary key (namespace, label, id)
) strict, without rowid;
create index run_labels_by_id on run_labels (id);

insert or ignore into run_labels (namespace, label, id)
select r.namespace, substr(e.key || '=' || e.value, 1, 200), r.id
from runs r, json_each(iif(json_valid(r.labels), r.labels, '{}')) e
where r.labels is not null and e.type = 'text';
