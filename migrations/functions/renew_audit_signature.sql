-- For the worker: replaces the signature of a checkpoint, or of the head (number 0), after APP_SECRET was replaced. Does nothing
-- and returns false when the signature is not the one the caller knows.
create or replace function renew_audit_signature(
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
revoke all on function renew_audit_signature from public;
grant execute on function renew_audit_signature to tenantry_worker;
