-- For the worker: appends records to the chain in the order given, moves the head there, and keeps it as a checkpoint when its
-- number says so. A sealed record never changes again, but that what is personal in it can be erased. With salts the records are
-- sealed in version 2. Does nothing and returns false when the head has another signature than the one the caller knows.
create or replace function seal_audit_records(
  company uuid, known_signature text, record_ids uuid[], record_hashes text[], head_number bigint, head_seq bigint,
  head_time timestamptz, head_kid text, head_signature text, begins_hash text,
  actor_salts text[] default null, target_salts text[] default null
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
    insert into audit_heads
    values (company, head_number, head_seq, head_hash, 0, begins_hash, 0, head_time, head_kid, head_signature)
    on conflict do nothing;
  else
    select number, seq into known_number, known_seq from audit_heads
    where company_id = company and signature = known_signature for update;
    update audit_heads
    set number = head_number, seq = head_seq, hash = head_hash, time = head_time, kid = head_kid, signature = head_signature
    where company_id = company and signature = known_signature;
  end if;
  if not found then return false; end if;

  update audit_records set seq = head_seq - length + ordinal, hash = decode(record_hash, 'hex'),
    v = case when given_actor_salt is null then v else 2 end,
    actor_salt = decode(given_actor_salt, 'hex'), target_salt = decode(given_target_salt, 'hex')
  from unnest(record_ids, record_hashes, actor_salts, target_salts)
    with ordinality as given (record_id, record_hash, given_actor_salt, given_target_salt, ordinal)
  where audit_records.id = record_id and audit_records.company_id = company and audit_records.seq is null;
  get diagnostics sealed = row_count;
  if sealed <> length or head_seq <> known_seq + length then
    raise exception 'records of company % are not as they were read', company;
  end if;
  if head_number = known_number + 1 then
    insert into audit_checkpoints select * from audit_heads where company_id = company;
  elsif head_number <> known_number then
    raise exception 'checkpoint % of company % is out of order', head_number, company;
  end if;
  return true;
end
$$;
revoke all on function seal_audit_records from public;
grant execute on function seal_audit_records to tenantry_worker;
