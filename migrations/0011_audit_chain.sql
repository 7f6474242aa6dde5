-- The audit of a company as a chain that shows whether it was tampered with; docs/decisions/0011-audit-chain.md says how.
-- Records are written without a place in it. A sealer gives them one, with a hash over the record and the hash before it,
-- and signs the end of the chain: the head, which is the newest checkpoint.

-- What is stored is what is shown, and what the hash covers: no more digits than that.
alter table audit_records alter column created_at type timestamptz(3);
alter table audit_records add column hash bytea,
  add constraint a_sealed_record_has_a_hash check ((seq is null) = (hash is null)),
  drop constraint audit_records_seq_key;

-- A record enters the other indexes when it is sealed, so that its writer pays for no more than this one.
drop index audit_records_of_company;
-- For the foreign key, when a company is removed for good: the others have only a part of the records each.
create index audit_records_of_company on audit_records (company_id) where company_id is not null;
create index audit_records_unsealed on audit_records (company_id, created_at, id)
  where seq is null and company_id is not null;
create unique index audit_records_seq_key on audit_records (company_id, seq) where seq is not null;
create index audit_records_by_time on audit_records (company_id, created_at, id) where seq is not null;
create index audit_records_by_actor on audit_records (company_id, actor_id, created_at, id) where seq is not null;
create index audit_records_by_action on audit_records (company_id, action, created_at, id) where seq is not null;
create index audit_records_by_target on audit_records (company_id, target_id, created_at, id) where seq is not null;
create index audit_records_by_target_type on audit_records (company_id, target_type, created_at, id) where seq is not null;
-- Nearly all that is recorded was done; only what was refused is ever looked for.
create index audit_records_refused on audit_records (company_id, outcome, created_at, id)
  where seq is not null and outcome <> 'done';

-- Nobody but the sealer gives a record its place, or its time.
revoke insert on audit_records from tenantry_tenant, tenantry_account;
grant insert (id, company_id, action, outcome, actor_id, actor_name, actor_email, target_type, target_id, target_label,
  changes, ip, user_agent, request_id) on audit_records to tenantry_tenant, tenantry_account;

-- The end of each company's chain. `begins_…` is where it begins: after what was purged, or at 0. `number` counts the
-- checkpoints that were kept. The signature covers all of it.
create table audit_heads (
  company_id uuid primary key references companies on delete cascade,
  number bigint not null,
  seq bigint not null,
  hash text not null,
  begins_seq bigint not null,
  begins_hash text not null,
  begins_number bigint not null,
  time timestamptz(3) not null,
  kid text not null,
  signature text not null
);
create index audit_heads_by_time on audit_heads (time, company_id);
create index audit_heads_of_key on audit_heads (kid, company_id);

-- Heads that were kept when the chain had grown by so many records or minutes.
create table audit_checkpoints (
  company_id uuid not null references companies on delete cascade,
  number bigint not null,
  seq bigint not null,
  hash text not null,
  begins_seq bigint not null,
  begins_hash text not null,
  begins_number bigint not null,
  time timestamptz(3) not null,
  kid text not null,
  signature text not null,
  primary key (company_id, number)
);
create index audit_checkpoints_by_seq on audit_checkpoints (company_id, seq);
create index audit_checkpoints_of_key on audit_checkpoints (kid, company_id, number);

-- How long a company keeps its records; null, or no row: for ever.
create table audit_settings (
  company_id uuid primary key default current_company() references companies on delete cascade,
  retention_days integer check (retention_days between 30 and 3650),
  updated_at timestamptz not null default now()
);

alter table audit_heads enable row level security;
alter table audit_checkpoints enable row level security;
alter table audit_settings enable row level security;
create policy own_company on audit_heads to tenantry_tenant using (company_id = current_company());
create policy own_company on audit_checkpoints to tenantry_tenant using (company_id = current_company());
create policy own_company on audit_settings to tenantry_tenant using (company_id = current_company());
grant select on audit_heads, audit_checkpoints to tenantry_tenant;
grant select, insert (retention_days), update (retention_days, updated_at) on audit_settings to tenantry_tenant;

-- Which process seals, and until when the others leave it to that one. A matter of saving work: sealing is right however
-- many do it at once.
create table audit_lease (
  one boolean primary key default true check (one),
  holder uuid not null,
  until timestamptz not null
);
insert into audit_lease (holder, until) values (gen_random_uuid(), now());
grant select (one, holder, until), update (holder, until) on audit_lease to tenantry_worker;

-- A page of the current company's records, the newest first, as its own rights allow. A plan for these very values: each
-- filter has its index, and which one is the rarest only the values tell.
create function find_audit_records(
  before_time timestamptz, before_id uuid, wanted_actor uuid, wanted_action text, wanted_target_type text,
  wanted_target text, wanted_outcome text, since timestamptz, until timestamptz, page_limit integer
)
returns setof audit_records
language plpgsql stable as $$
declare
  wanted text := format('company_id = %L', current_company());
  one_page text := format(' order by created_at desc, id desc limit %s', page_limit);
begin
  if before_id is not null then
    wanted := wanted || format(' and (created_at, id) < (%L, %L)', before_time, before_id);
  end if;
  if wanted_actor is not null then wanted := wanted || format(' and actor_id = %L', wanted_actor); end if;
  if wanted_action is not null then wanted := wanted || format(' and action = %L', wanted_action); end if;
  if wanted_target_type is not null then wanted := wanted || format(' and target_type = %L', wanted_target_type); end if;
  if wanted_target is not null then wanted := wanted || format(' and target_id = %L', wanted_target); end if;
  if wanted_outcome is not null then wanted := wanted || format(' and outcome = %L', wanted_outcome); end if;
  if since is not null then wanted := wanted || format(' and created_at >= %L', since); end if;
  if until is not null then wanted := wanted || format(' and created_at <= %L', until); end if;
  return query execute
    'select * from ((select * from audit_records where seq is null and ' || wanted || one_page
    || ') union all (select * from audit_records where seq is not null and ' || wanted || one_page
    || ')) both_kinds' || one_page;
end
$$;

-- The next records to seal, and the sealed ones between two places, of the current company and as its own rights allow.
-- Always by their index: a table that grows faster than its statistics tempts the planner to read or sort all of it.
-- Not more than so many, and no further one when those before it have so many bytes of changes.
create function audit_records_open(records_max integer, bytes_max bigint) returns setof audit_records
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select (waiting.record).* from (
    select audit_records as record, sum(octet_length(changes::text)) over (
      order by company_id, created_at, id rows between unbounded preceding and 1 preceding) as bytes_before
    from audit_records where company_id = current_company() and seq is null
    order by company_id, created_at, id limit records_max
  ) waiting where bytes_before is null or bytes_before < bytes_max
$$;
create function audit_records_between(after bigint, up_to bigint) returns setof audit_records
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select * from audit_records where company_id = current_company() and seq > after and seq <= up_to
  order by company_id, seq
$$;
-- The place before the first record that is too much, when those before it have so many bytes of changes.
create function audit_window_end(after bigint, up_to bigint, bytes_max bigint) returns bigint
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select coalesce(min(seq) - 1, up_to) from (
    select seq, sum(octet_length(changes::text)) over (
      order by company_id, seq rows between unbounded preceding and 1 preceding) as bytes_before
    from audit_records where company_id = current_company() and seq > after and seq <= up_to
  ) places where bytes_before >= bytes_max
$$;

-- The functions below are the worker's hands: it may read no record and change no table, only do these things. Each takes
-- the signature of the head as its caller knows it, and does nothing when the head has moved on since.

-- Puts records behind the end of the chain, in the order given, moves the head there, and keeps it when told so. A record
-- that is sealed is never touched again.
create function seal_audit_records(
  company uuid, known_signature text, record_ids uuid[], record_hashes text[], head_number bigint, head_seq bigint,
  head_time timestamptz, head_kid text, head_signature text, begins_hash text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  length constant integer := cardinality(record_ids);
  head_hash constant text := record_hashes[length];
  known_number bigint := 0;
  known_seq bigint := 0;
  sealed integer;
begin
  if known_signature is null then
    insert into audit_heads values (company, head_number, head_seq, head_hash, 0, begins_hash, 0, head_time, head_kid, head_signature)
    on conflict do nothing;
  else
    select number, seq into known_number, known_seq from audit_heads
    where company_id = company and signature = known_signature for update;
    update audit_heads
    set number = head_number, seq = head_seq, hash = head_hash, time = head_time, kid = head_kid, signature = head_signature
    where company_id = company and signature = known_signature;
  end if;
  if not found then return false; end if;

  update audit_records set seq = head_seq - length + place, hash = decode(record_hash, 'hex')
  from unnest(record_ids, record_hashes) with ordinality as given (record_id, record_hash, place)
  where audit_records.id = record_id and audit_records.company_id = company and audit_records.seq is null;
  get diagnostics sealed = row_count;
  if sealed <> length or head_seq <> known_seq + length then raise exception 'records of company % are not as they were read', company; end if;
  if head_number = known_number + 1 then
    insert into audit_checkpoints select * from audit_heads where company_id = company;
  elsif head_number <> known_number then
    raise exception 'checkpoint % of company % is out of order', head_number, company;
  end if;
  return true;
end
$$;

-- Removes the records up to a place in the chain, and the checkpoints among them, and lets the chain begin there; only
-- records that the company's own setting says are over. Leaves a record of it.
create function purge_audit_records(
  company uuid, known_signature text, new_begins_seq bigint, new_begins_hash text, new_begins_number bigint,
  head_time timestamptz, head_kid text, head_signature text, note_id uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  kept_since timestamptz := (
    select now() - make_interval(days => retention_days) from audit_settings where company_id = company);
  begun_at bigint := (select begins_seq from audit_heads where company_id = company and signature = known_signature);
begin
  update audit_heads
  set begins_seq = new_begins_seq, begins_hash = new_begins_hash, begins_number = new_begins_number,
    time = head_time, kid = head_kid, signature = head_signature
  where company_id = company and signature = known_signature and new_begins_seq between begins_seq + 1 and seq;
  if not found then return false; end if;
  if kept_since is null or exists (
    select from audit_records where company_id = company and seq <= new_begins_seq and created_at >= kept_since
  ) then raise exception 'company % keeps these records', company; end if;

  delete from audit_records where company_id = company and seq <= new_begins_seq;
  delete from audit_checkpoints where company_id = company and number <= new_begins_number;
  insert into audit_records (id, company_id, action, outcome, target_type, target_id, changes)
  values (note_id, company, 'audit.purge', 'done', 'company', company::text,
    jsonb_build_object('seq', jsonb_build_object('from', begun_at + 1, 'to', new_begins_seq)));
  return true;
end
$$;

-- Puts another signature under what is signed already, for a key that takes the place of another; 0 is the head.
create function renew_audit_signature(
  company uuid, checkpoint_number bigint, known_signature text, new_kid text, new_signature text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if checkpoint_number = 0 then
    update audit_heads set kid = new_kid, signature = new_signature
    where company_id = company and signature = known_signature;
  else
    update audit_checkpoints set kid = new_kid, signature = new_signature
    where company_id = company and number = checkpoint_number and signature = known_signature;
  end if;
  return found;
end
$$;

-- Companies with records that wait for the sealer, in order: one look into the index for each.
create function audit_companies_unsealed(after uuid, companies_max integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with recursive found (company) as (
    (select company_id from audit_records
     where seq is null and company_id is not null and company_id > after order by company_id limit 1)
    union all
    select (select company_id from audit_records
      where seq is null and company_id is not null and company_id > found.company order by company_id limit 1)
    from found where found.company is not null
  )
  select company from found where company is not null limit companies_max;
end;

-- Companies whose oldest record is over, in order.
create function audit_companies_over(after uuid, companies_max integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select audit_settings.company_id from audit_settings
  join audit_heads on audit_heads.company_id = audit_settings.company_id
  join audit_records on audit_records.company_id = audit_heads.company_id and audit_records.seq = audit_heads.begins_seq + 1
  where audit_settings.company_id > after and audit_records.created_at < now() - make_interval(days => retention_days)
  order by audit_settings.company_id limit companies_max;
end;

-- What is still signed with this key, in order and some at a time; a head comes before its checkpoints, as number 0.
create function audit_signed_with(signed_kid text, after_company uuid, after_number bigint, signed_max integer)
returns table (company_id uuid, number bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  (select audit_heads.company_id, 0::bigint as number from audit_heads
   where kid = signed_kid and audit_heads.company_id > after_company order by audit_heads.company_id limit signed_max)
  union all
  (select audit_checkpoints.company_id, audit_checkpoints.number from audit_checkpoints
   where kid = signed_kid and (audit_checkpoints.company_id, audit_checkpoints.number) > (after_company, after_number)
   order by audit_checkpoints.company_id, audit_checkpoints.number limit signed_max)
  order by 1, 2 limit signed_max;
end;

-- The ends of the chains that grew since, some at a time: for the log, so that a tail that was cut off is missed.
create function audit_heads_since(since timestamptz, after uuid, heads_max integer)
returns table (company_id uuid, seq bigint, hash text, signed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select audit_heads.company_id, audit_heads.seq, audit_heads.hash, audit_heads.time from audit_heads
  where (audit_heads.time, audit_heads.company_id) > (since, after)
  order by audit_heads.time, audit_heads.company_id limit heads_max;
end;

-- A company that is removed for good takes its audit along, each half of the records by its own index.
update parts_of_companies set condition = 'seq is null' where name = 'audit_records';
insert into parts_of_companies (place, name, condition) values
  (91, 'audit_records', 'seq is not null'), (92, 'audit_checkpoints', 'true'), (93, 'audit_heads', 'true'),
  (94, 'audit_settings', 'true');

revoke all on function find_audit_records, audit_records_open, audit_records_between, audit_window_end,
  seal_audit_records, purge_audit_records, renew_audit_signature, audit_companies_unsealed, audit_companies_over, audit_signed_with, audit_heads_since from public;
grant execute on function seal_audit_records, purge_audit_records, renew_audit_signature, audit_companies_unsealed,
  audit_companies_over, audit_signed_with, audit_heads_since to tenantry_worker;
grant execute on function find_audit_records, audit_records_open, audit_records_between, audit_window_end to tenantry_tenant;
