-- For the worker: deletes the records up to a position of the chain, and the checkpoints among them, and lets the chain start
-- there; only records that are older than the company's retention. Writes a record of it. Does nothing and returns false when
-- the head has another signature than the one the caller knows.
create or replace function purge_audit_records(
  company uuid, known_signature text, new_begins_seq bigint, new_begins_hash text, new_begins_number bigint,
  head_time timestamptz, head_kid text, head_signature text, record_id uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  retained_since timestamptz := (
    select now() - make_interval(days => retention_days) from audit_settings where company_id = company);
  previous_begins_seq bigint := (select begins_seq from audit_heads where company_id = company and signature = known_signature);
begin
  update audit_heads
  set begins_seq = new_begins_seq, begins_hash = new_begins_hash, begins_number = new_begins_number,
    time = head_time, kid = head_kid, signature = head_signature
  where company_id = company and signature = known_signature and new_begins_seq between begins_seq + 1 and seq;
  if not found then return false; end if;
  if retained_since is null or exists (
    select from audit_records where company_id = company and seq <= new_begins_seq and created_at >= retained_since
  ) then raise exception 'company % retains these records', company; end if;

  delete from audit_records where company_id = company and seq <= new_begins_seq;
  delete from audit_checkpoints where company_id = company and number <= new_begins_number;
  insert into audit_records (id, company_id, v, action, outcome, actor_kind, target_type, target_id, changes)
  values (record_id, company, 2, 'audit.purge', 'done', 'service', 'company', company::text,
    jsonb_build_object('seq', jsonb_build_object('from', previous_begins_seq + 1, 'to', new_begins_seq)));
  return true;
end
$$;
revoke all on function purge_audit_records from public;
grant execute on function purge_audit_records to tenantry_worker;
