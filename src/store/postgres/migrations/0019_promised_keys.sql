-- A key that a function has given an id for is final when the caller's transaction commits: its row in task_keys or
-- run_keys is inserted during that commit. And the functions refuse all JSON that a server refuses
-- (docs/adr/0074-keys-of-open-transactions.md).

-- The value of a refused argument, quoted and shortened.
create function pawl.shown(value pg_catalog.text)
returns pg_catalog.text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when length(value) > 60 then to_json(left(value, 60) || '…')::pg_catalog.text
    else coalesce(to_json(value)::pg_catalog.text, 'null') end
$$;

-- The same rules as in core/task/check.cpp.
create or replace function pawl.check_text(field pg_catalog.text, value pg_catalog.text, characters_max int)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  why pg_catalog.text := case
    when value is null or value = '' then 'must not be empty'
    when length(value) > characters_max then
      format('has over %s characters: %s has %s', characters_max, pawl.shown(value), length(value))
    when value ~ E'[\\u0001-\\u001f\\u007f-\\u009f]' then
      format('must have no control characters, %s has', pawl.shown(value))
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
    raise exception 'namespace: must be [a-z0-9][a-z0-9._-]{0,62}, not %', pawl.shown(namespace)
      using errcode = 'invalid_parameter_value';
  elsif namespace = 'admin' then
    raise exception 'namespace: admin is reserved' using errcode = 'invalid_parameter_value';
  end if;
end
$$;

-- Why a server refuses a value that PostgreSQL accepts as JSON (core/json/json.cpp); null where it does not. The replaced
-- texts have the length of the originals, so that offsets stay those of the caller's text.
create function pawl.json_fault(value pg_catalog.text)
returns pg_catalog.text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  kept pg_catalog.text := value;
  lone pg_catalog.text;
  at int;
begin
  if position(E'\\' in kept) > 0 then
    kept := replace(kept, E'\\\\', '__');
    lone := substring(regexp_replace(kept,
      E'\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}', '____________', 'g')
      from E'\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}');
    if lone is not null then
      at := position(lone in regexp_replace(kept,
        E'\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}', '____________', 'g'));
      return format('lone surrogate escape in a string (%s at byte %s)', lone,
        octet_length(left(value, at - 1)));
    end if;
    kept := replace(kept, E'\\"', '__');
  end if;
  if length(kept) - length(translate(kept, '[{', '')) <= 64 then
    return null;
  end if;
  kept := translate(regexp_replace(regexp_replace(kept, '"[^"]*"', '', 'g'), '[^][{}]', '', 'g'), '{}', '[]');
  for depth in 1..64 loop
    exit when kept = '';
    kept := replace(kept, '[]', '');
  end loop;
  return case when kept <> '' then 'the value is nested deeper than 64' end;
end
$$;

-- As a server stores a value: without the white space around it.
create function pawl.json_text(value pg_catalog.json)
returns pg_catalog.text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select btrim(value::pg_catalog.text, E' \t\n\r')
$$;

create or replace function pawl.check_json(field pg_catalog.text, value pg_catalog.json)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  bytes int := octet_length(pawl.json_text(value));
  why pg_catalog.text;
begin
  if bytes > 2097152 then
    raise exception '%: has % bytes, at most 2097152 are kept', field, bytes using errcode = 'program_limit_exceeded';
  end if;
  why := pawl.json_fault(value::pg_catalog.text);
  if why is not null then
    raise exception '%: %', field, why using errcode = 'invalid_parameter_value';
  end if;
end
$$;

-- What a namespace keeps of one value.
create function pawl.check_size(field pg_catalog.text, namespace pg_catalog.text, value pg_catalog.json)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  bytes int := octet_length(pawl.json_text(value));
  bytes_max bigint;
begin
  select (r.body::pg_catalog.json ->> 'payload_max')::bigint into bytes_max from pawl.records r
  where r.kind = 'namespace_settings' and r.namespace = check_size.namespace and r.key = 'settings';
  if bytes > bytes_max then
    raise exception '%: has % bytes, this namespace keeps at most %', field, bytes, bytes_max
      using errcode = 'program_limit_exceeded';
  end if;
end
$$;

-- core/json/schema.cpp, with a `type` that may also be a list. Keywords that check nothing are passed over.
create function pawl.check_schema(field pg_catalog.text, value pg_catalog.jsonb, schema pg_catalog.jsonb)
returns void language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  kind pg_catalog.text := jsonb_typeof(value);
  types pg_catalog.jsonb := case jsonb_typeof(schema -> 'type')
    when 'array' then schema -> 'type' when 'string' then jsonb_build_array(schema -> 'type') end;
  shown pg_catalog.text := left(value::pg_catalog.text, 60);
  why pg_catalog.text;
  part pg_catalog.record;
begin
  why := case
    when types is not null and not types @> to_jsonb(kind)
      and not (types @> '"integer"' and case when kind = 'number' then value::numeric = trunc(value::numeric) else false end)
      then format('must be of type %s', (select string_agg(t, ' or ') from jsonb_array_elements_text(types) t))
    when schema ? 'enum' and not exists (select 1 from jsonb_array_elements(schema -> 'enum') e(one) where e.one = value)
      then 'must be one of ' || left(schema ->> 'enum', 1000)
    when kind = 'number' and value < schema -> 'minimum' then format('must be at least %s', schema -> 'minimum')
    when kind = 'number' and value > schema -> 'maximum' then format('must be at most %s', schema -> 'maximum')
  end;
  if why is not null then
    raise exception '%: %, not %', field, why, shown using errcode = 'invalid_parameter_value';
  end if;
  if kind = 'object' then
    select r.name into why from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) r(name)
    where not value ? r.name limit 1;
    if why is not null then
      raise exception '%.%: is required, and % has no such field', field, why, shown
        using errcode = 'invalid_parameter_value';
    end if;
    for part in select m.key, m.value, p.value as rule
      from jsonb_each(value) m join jsonb_each(coalesce(schema -> 'properties', '{}')) p on p.key = m.key loop
      perform pawl.check_schema(field || '.' || part.key, part.value, part.rule);
    end loop;
  elsif kind = 'array' and schema ? 'items' then
    for part in select i.value, i.at from jsonb_array_elements(value) with ordinality i(value, at) loop
      perform pawl.check_schema(format('%s[%s]', field, part.at - 1), part.value, schema -> 'items');
    end loop;
  end if;
end
$$;

-- Strings of jsonb have no U+0000: it becomes U+FFFF and a 0, and U+FFFF becomes U+FFFF and a 1, so that no two strings
-- become equal.
create function pawl.jsonb_of(value pg_catalog.text)
returns pg_catalog.jsonb language sql immutable set search_path = pg_catalog, pg_temp as $$
  select replace(regexp_replace(replace(value, E'\\\\', E'\\u005c'), E'\\\\u[fF]{4}|\uffff', E'\\\\uffff1', 'g'),
    E'\\u0000', E'\\uffff0')::pg_catalog.jsonb
$$;

-- What the declared type and the namespace allow, as an enqueue over HTTP is checked (runtime/local_api_gates.cpp).
create function pawl.check_payload(namespace pg_catalog.text, type pg_catalog.text, payload pg_catalog.json)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  declared pg_catalog.json;
  whole pg_catalog.jsonb;
begin
  perform pawl.check_json('payload', payload), pawl.check_size('payload', namespace, payload);
  select r.body into declared from pawl.records r
  where r.kind = 'task_type' and r.namespace = check_payload.namespace and r.key = check_payload.type;
  if declared is null then
    if exists (select 1 from pawl.records r where r.kind = 'namespace_settings'
        and r.namespace = check_payload.namespace and r.key = 'settings'
        and r.body::pg_catalog.json ->> 'strict_types' = 'true')
      and not exists (select 1 from pawl.records r where r.kind = 'worker' and r.namespace = check_payload.namespace
        and (r.body::pg_catalog.jsonb -> 'task_types') ? check_payload.type
        and r.body::pg_catalog.json ->> 'status' <> '2') then  -- 2: offline
      raise exception 'type: % is neither declared nor registered by a worker', pawl.shown(type)
        using errcode = 'invalid_parameter_value';
    end if;
    return;
  end if;
  if declared ->> 'schema' is null and coalesce(declared ->> 'required', '[]') = '[]' then
    return;
  end if;
  begin
    whole := pawl.jsonb_of(coalesce(payload::pg_catalog.text, 'null'));
  exception when numeric_value_out_of_range then
    raise exception 'payload: has a number beyond the range that a declared type can check (131072 digits before the decimal point, 16383 after it)'
      using errcode = 'invalid_parameter_value';
  end;
  if coalesce(declared ->> 'required', '[]') <> '[]' then
    perform pawl.check_schema('payload', whole,
      jsonb_build_object('type', 'object', 'required', pawl.jsonb_of(declared ->> 'required')));
  end if;
  if declared ->> 'schema' is not null then
    perform pawl.check_schema('payload', whole, pawl.jsonb_of(declared ->> 'schema'));
  end if;
end
$$;

-- At the commit of a caller. A transaction that stays open holds no row that a node may wait for, and a key that
-- another one has got meanwhile makes the commit fail: the first that commits has it.
create function pawl.promise_key()
returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  part pg_catalog.text[] := string_to_array(new.key, E'\n');
  id pg_catalog.uuid := (new.body::pg_catalog.json ->> 'id')::pg_catalog.uuid;
  first pg_catalog.uuid;
begin
  loop
    if part[1] = 'enqueue' then
      insert into pawl.task_keys values (part[2], part[3], part[4], id) on conflict do nothing;
    else
      insert into pawl.run_keys values (part[2], part[3], part[4], id) on conflict do nothing;
    end if;
    exit when found;
    first := pawl.find_key(part[1], part[2], part[3], part[4]);
    exit when first = id;
    if first is not null then
      raise exception '%: % was given to % while this transaction was open; run the transaction again',
        case part[1] when 'enqueue' then 'idempotency_key' else 'run_key' end, pawl.shown(part[4]), first
        using errcode = 'serialization_failure';
    end if;
  end loop;
  return null;
end
$$;

-- Of a call that is off the list without a task or a run: it was withdrawn or refused.
create function pawl.release_key()
returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  part pg_catalog.text[] := string_to_array(old.key, E'\n');
  id pg_catalog.uuid := (old.body::pg_catalog.json ->> 'id')::pg_catalog.uuid;
begin
  if part[1] = 'enqueue' then
    delete from pawl.task_keys k where k.namespace = part[2] and k.type = part[3] and k.key = part[4] and k.task_id = id
      and not exists (select 1 from pawl.tasks t where t.id = k.task_id);
  else
    delete from pawl.run_keys k where k.namespace = part[2] and k.workflow = part[3] and k.run_key = part[4]
      and k.run_id = id and not exists (select 1 from pawl.runs r where r.id = k.run_id);
  end if;
  return null;
end
$$;

create constraint trigger promise_key after insert on pawl.records deferrable initially deferred
for each row when (new.kind = 'inbox_key') execute function pawl.promise_key();
create constraint trigger release_key after delete on pawl.records deferrable initially deferred
for each row when (old.kind = 'inbox_key') execute function pawl.release_key();

-- Of calls that an earlier version has left. One whose key another has is refused by the node, as before.
insert into pawl.task_keys (namespace, type, key, task_id)
select split_part(r.key, E'\n', 2), split_part(r.key, E'\n', 3), split_part(r.key, E'\n', 4), (r.body::json ->> 'id')::uuid
from pawl.records r where r.kind = 'inbox_key' and r.key like E'enqueue\n%'
on conflict do nothing;
insert into pawl.run_keys (namespace, workflow, run_key, run_id)
select split_part(r.key, E'\n', 2), split_part(r.key, E'\n', 3), split_part(r.key, E'\n', 4), (r.body::json ->> 'id')::uuid
from pawl.records r where r.kind = 'inbox_key' and r.key like E'start\\_workflow\n%'
on conflict do nothing;

-- `checked`: a node makes the task as it is, whatever the type and the namespace allow by then.
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
  perform pawl.check_text('type', type, 255), pawl.check_text('queue', queue, 255);
  perform pawl.check_payload(namespace, type, payload);
  if key is not null then
    perform pawl.check_text('key', key, 512);
  end if;
  if priority is null then
    raise exception 'priority: must be from -2147483648 to 2147483647, not null' using errcode = 'invalid_parameter_value';
  end if;
  if run_at < '0001-01-01 00:00:00Z' or run_at >= '10000-01-01 00:00:00Z' then
    raise exception 'run_at: must be a time that RFC 3339 can name (not %)', run_at
      using errcode = 'invalid_parameter_value';
  end if;
  if idempotency_key is not null then
    perform pawl.check_text('idempotency_key', idempotency_key, 512);
    first := pawl.take_key('enqueue', namespace, type, idempotency_key, id);
    if first <> id then
      return first;
    end if;
  end if;
  perform pawl.leave_call(id, json_build_object('call', 'enqueue', 'namespace', namespace, 'name', type,
    'payload', pawl.json_text(payload), 'queue', queue, 'priority', priority, 'key', key, 'once', idempotency_key,
    'run_at', (extract(epoch from run_at) * 1000000)::bigint, 'checked', true));
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
  perform pawl.check_size('input', namespace, input);
  if run_key is not null then
    perform pawl.check_text('run_key', run_key, 512);
    first := pawl.take_key('start_workflow', namespace, workflow, run_key, id);
    if first <> id then
      return first;
    end if;
  end if;
  perform pawl.leave_call(id, json_build_object('call', 'start_workflow', 'namespace', namespace, 'name', workflow,
    'payload', pawl.json_text(input), 'once', run_key, 'checked', true));
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
  perform pawl.check_size('payload', run_namespace, payload);
  perform pawl.leave_call(pawl.new_id(), json_build_object('call', 'signal', 'namespace', run_namespace, 'name', name,
    'payload', pawl.json_text(payload), 'run', run));
end
$$;

-- The parts are not for callers.
revoke all on function pawl.check_size(pg_catalog.text, pg_catalog.text, pg_catalog.json),
  pawl.check_payload(pg_catalog.text, pg_catalog.text, pg_catalog.json), pawl.promise_key(), pawl.release_key()
  from public;
