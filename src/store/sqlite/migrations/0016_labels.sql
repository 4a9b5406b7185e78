-- Which tasks have a label, by id: a list by a label reads no more than its page. Tasks without labels have no row.
-- `label` is the beginning of NAME=VALUE, as an index has no room for longer ones: lists compare the whole label.
create table task_labels (
  namespace text not null,
  label text not null,
  id blob not null,
  primary key (namespace, label, id)
) strict, without rowid;
create index task_labels_by_id on task_labels (id);

insert or ignore into task_labels (namespace, label, id)
select l.namespace, substr(e.key || '=' || e.value, 1, 200), t.id
from tasks t join lanes l on l.id = t.lane, json_each(iif(json_valid(t.labels), t.labels, '{}')) e
where t.labels is not null and e.type = 'text';
