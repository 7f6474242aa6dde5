-- For an erasure: takes what is personal of the actor, or of the target, out of sealed records of version 2, and leaves the
-- commitments that their hashes cover. What stays of the changes is what src/features/audit/chain/commitments.ts hashes as it is.
-- Returns how many records it changed; one that is erased already stays as it is.
create or replace function erase_audit_parts(company uuid, part text, record_ids uuid[], commitments text[]) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  erased integer;
begin
  if part = 'actor' then
    update audit_records set actor_name = '', actor_email = '', ip = null, user_agent = '', request_id = '',
      actor_salt = null, actor_commitment = decode(commitment, 'hex')
    from unnest(record_ids, commitments) as given (record_id, commitment)
    where id = record_id and company_id = company and v = 2 and seq is not null and actor_salt is not null;
  else
    update audit_records set
      target_label = case when target_type in ('company', 'role', 'branch') then target_label else '' end,
      changes = case when jsonb_typeof(changes) = 'object' then coalesce((
        select jsonb_object_agg(key, value) from jsonb_each(changes) where key in ('branches', 'roles', 'status')), '{}')
        else '{}' end,
      target_salt = null, target_commitment = decode(commitment, 'hex')
    from unnest(record_ids, commitments) as given (record_id, commitment)
    where id = record_id and company_id = company and v = 2 and seq is not null and target_salt is not null;
  end if;
  get diagnostics erased = row_count;
  return erased;
end
$$;
revoke all on function erase_audit_parts from public;
grant execute on function erase_audit_parts to tenantry_worker;
