-- With `set search_path = pg_catalog` PostgreSQL still searches pg_temp first for types and tables: only a path that
-- names pg_temp moves it. A caller could create a domain pg_temp.text whose check ran with the rights of the functions'
-- owner. Now the functions and their helpers name pg_temp last and qualify every type; either measure is enough.

-- UUIDv7, as in the engine: the microseconds precede the random bits, so that the calls of one session sort.
create or replace function pawl.new_id()
returns pg_catalog.uuid language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  micros bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  fraction int := ((micros % 1000) * 4096 / 1000)::int;
  bytes pg_catalog.bytea := overlay(uuid_send(gen_random_uuid())
    placing substring(int8send(micros / 1000) from 3) from 1);
begin
  bytes := set_byte(set_byte(bytes, 6, 112 + fraction / 256), 7, fraction % 256);
  return encode(bytes, 'hex')::pg_catalog.uuid;
end
$$;

-- The same rules and words as core/check.cpp has.
create or replace function pawl.check_text(field pg_catalog.text, value pg_catalog.text, characters_max int)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  why pg_catalog.text := case
    when value is null or value = '' then 'must not be empty'
    when length(value) > characters_max then format('has over %s characters', characters_max)
    when value ~ '[\u0001-\u001f\u007f-\u009f]' then 'must have no control characters'
  end;
begin
  if why is not null then
    raise exception '%: %', field, why using errcode = 'invalid_parameter_value';
  end if;
end
$$;

create or replace function pawl.check_namespace(namespace pg_catalog.text)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if namespace is null or namespace !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception 'namespace: must be [a-z0-9][a-z0-9._-]{0,62}' using errcode = 'invalid_parameter_value';
  elsif namespace = 'admin' then
    raise exception 'namespace: admin is reserved' using errcode = 'invalid_parameter_value';
  end if;
end
$$;

create or replace function pawl.check_json(field pg_catalog.text, value pg_catalog.json)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if octet_length(value::pg_catalog.text) > 2097152 then
    raise exception '%: has % bytes, at most 2097152 are kept', field, octet_length(value::pg_catalog.text)
      using errcode = 'program_limit_exceeded';
  end if;
end
$$;

-- JSON is kept as a text, byte for byte.
create or replace function pawl.leave_call(id pg_catalog.uuid, request pg_catalog.json)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  insert into pawl.records (kind, namespace, key, version, expires_at, created_at, updated_at, body)
  values ('inbox', '', id::pg_catalog.text, 1, clock_timestamp(), clock_timestamp(), clock_timestamp(),
    json_strip_nulls(request)::pg_catalog.text)
$$;

-- The task or the run that has the key already.
create or replace function pawl.find_key(call pg_catalog.text, namespace pg_catalog.text, name pg_catalog.text,
  once pg_catalog.text)
returns pg_catalog.uuid language sql volatile set search_path = pg_catalog, pg_temp as $$
  select case call when 'enqueue' then
    (select k.task_id from pawl.task_keys k
     where k.namespace = find_key.namespace and k.type = find_key.name and k.key = find_key.once)
  else
    (select k.run_id from pawl.run_keys k
     where k.namespace = find_key.namespace and k.workflow = find_key.name and k.run_key = find_key.once)
  end
$$;

-- Takes the key for `id`, or gives the id that has it: of a task or a run, or of a call on the list. Waits for a
-- transaction that has taken it and is still open.
create or replace function pawl.take_key(call pg_catalog.text, namespace pg_catalog.text, name pg_catalog.text,
  once pg_catalog.text, id pg_catalog.uuid)
returns pg_catalog.uuid language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  row_key pg_catalog.text := concat_ws(E'\n', call, namespace, name, once);
  first pg_catalog.uuid;
begin
  loop
    first := pawl.find_key(call, namespace, name, once);
    if first is not null then
      return first;
    end if;
    insert into pawl.records (kind, namespace, key, version, created_at, updated_at, body)
    values ('inbox_key', '', row_key, 1, clock_timestamp(), clock_timestamp(),
      json_build_object('id', id)::pg_catalog.text)
    on conflict do nothing;
    if found then
      -- What had it may have been taken off the list after the look above: then there is a task or a run now.
      first := pawl.find_key(call, namespace, name, once);
      exit when first is null;
      delete from pawl.records r where r.kind = 'inbox_key' and r.namespace = '' and r.key = row_key;
      return first;
    end if;
    select (r.body::pg_catalog.json ->> 'id')::pg_catalog.uuid into first
    from pawl.records r where r.kind = 'inbox_key' and r.namespace = '' and r.key = row_key;
    if first is not null then
      return first;
    end if;
  end loop;
  return id;
end
$$;

create or replace function pawl.enqueue(type pg_catalog.text, payload pg_catalog.json,
  queue pg_catalog.text default 'default', namespace pg_catalog.text default 'default', priority int default 0,
  key pg_catalog.text default null, idempotency_key pg_catalog.text default null,
  run_at pg_catalog.timestamptz default null)
returns pg_catalog.uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  id pg_catalog.uuid := pawl.new_id();
  first pg_catalog.uuid;
begin
  perform pawl.check_namespace(namespace);
  perform pawl.check_text('type', type, 255), pawl.check_text('queue', queue, 255), pawl.check_json('payload', payload);
  if key is not null then
    perform pawl.check_text('key', key, 512);
  end if;
  if priority is null or priority not between -32768 and 32767 then
    raise exception 'priority: must be from -32768 to 32767' using errcode = 'invalid_parameter_value';
  end if;
  if run_at < '0001-01-01 00:00:00Z' or run_at >= '10000-01-01 00:00:00Z' then
    raise exception 'run_at: must be a time that RFC 3339 can name' using errcode = 'invalid_parameter_value';
  end if;
  if idempotency_key is not null then
    perform pawl.check_text('idempotency_key', idempotency_key, 512);
    first := pawl.take_key('enqueue', namespace, type, idempotency_key, id);
    if first <> id then
      return first;
    end if;
  end if;
  perform pawl.leave_call(id, json_build_object('call', 'enqueue', 'namespace', namespace, 'name', type,
    'payload', payload::pg_catalog.text, 'queue', queue, 'priority', priority, 'key', key, 'once', idempotency_key,
    'run_at', (extract(epoch from run_at) * 1000000)::bigint));
  return id;
end
$$;

create or replace function pawl.start_workflow(workflow pg_catalog.text, input pg_catalog.json,
  run_key pg_catalog.text default null, namespace pg_catalog.text default 'default')
returns pg_catalog.uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  id pg_catalog.uuid := pawl.new_id();
  first pg_catalog.uuid;
begin
  perform pawl.check_namespace(namespace);
  perform pawl.check_text('workflow', workflow, 255), pawl.check_json('input', input);
  if run_key is not null then
    perform pawl.check_text('run_key', run_key, 512);
    first := pawl.take_key('start_workflow', namespace, workflow, run_key, id);
    if first <> id then
      return first;
    end if;
  end if;
  perform pawl.leave_call(id, json_build_object('call', 'start_workflow', 'namespace', namespace, 'name', workflow,
    'payload', input::pg_catalog.text, 'once', run_key));
  return id;
end
$$;

-- To a run that there is, or that a call of start_workflow which is on the list will make.
create or replace function pawl.signal(run pg_catalog.uuid, name pg_catalog.text, payload pg_catalog.json)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  run_namespace pg_catalog.text;
begin
  perform pawl.check_text('name', name, 255), pawl.check_json('payload', payload);
  select r.namespace into run_namespace from pawl.runs r where r.id = signal.run;
  if run_namespace is null then
    select r.body::pg_catalog.json ->> 'namespace' into run_namespace from pawl.records r
    where r.kind = 'inbox' and r.namespace = '' and r.key = signal.run::pg_catalog.text
      and r.body::pg_catalog.json ->> 'call' = 'start_workflow';
  elsif exists (select 1 from pawl.run_states s where s.id = signal.run and s.state in
      ('completed', 'failed', 'compensated', 'compensation_failed', 'cancelled')) then
    raise exception 'run: run % has ended', run using errcode = 'object_not_in_prerequisite_state';
  end if;
  if run_namespace is null then
    raise exception 'run: there is no run %', run using errcode = 'no_data_found';
  end if;
  perform pawl.leave_call(pawl.new_id(), json_build_object('call', 'signal', 'namespace', run_namespace, 'name', name,
    'payload', payload::pg_catalog.text, 'run', run));
end
$$;

-- Takes a call off the list that is not to be done, or whose problem was read. False: it is not there any more.
create or replace function pawl.withdraw(id pg_catalog.uuid)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  request pg_catalog.json;
begin
  delete from pawl.records r where r.kind = 'inbox' and r.namespace = '' and r.key = withdraw.id::pg_catalog.text
  returning r.body::pg_catalog.json into request;
  delete from pawl.records r where r.kind = 'inbox_key' and r.namespace = '' and r.key = concat_ws(E'\n',
    request ->> 'call', request ->> 'namespace', request ->> 'name', request ->> 'once')
    and r.body::pg_catalog.json ->> 'id' = withdraw.id::pg_catalog.text;
  return request is not null;
end
$$;
