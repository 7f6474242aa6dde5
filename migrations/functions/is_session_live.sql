-- Whether a session of the current account may still act: it was neither revoked nor has it expired, and no temporary password
-- is in force. For writes in a company, which ask again under the company's lock.
create or replace function is_session_live(session_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (
    select from sessions
    where id = session_id and account_id = current_account()
      and revoked_at is null and expires_at > now() and not must_change_password);
end;
revoke all on function is_session_live from public;
grant execute on function is_session_live to tenantry_tenant;
