-- How long ago a session of the current account gave the proof that dangerous routes ask for, and by which methods it can give it
-- again: one of the account's factors, and the password only where there is none. No row: the session is another account's.
create or replace function session_proof(session_id uuid)
returns table (proof_seconds double precision, has_second_factor boolean, methods text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select
    extract(epoch from now() - case when accounts.has_second_factor
      then sessions.second_factor_at else sessions.authenticated_at end)::double precision,
    accounts.has_second_factor,
    case when accounts.has_second_factor then factor_methods(accounts.id)
    else array['password'] end
  from sessions join accounts on accounts.id = sessions.account_id
  where sessions.id = session_id and sessions.account_id = current_account();
end;
revoke all on function session_proof from public;
grant execute on function session_proof to tenantry_account, tenantry_tenant;
