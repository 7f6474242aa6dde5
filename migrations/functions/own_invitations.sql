-- The invitations to the address of the current account, of companies that are neither deleted nor suspended. None unless the address
-- is verified: another person may have signed up with it.
create or replace function own_invitations()
returns table (
  id uuid, company_id uuid, company_name text, inviter_name text, email text, expires_at timestamptz, created_at timestamptz,
  is_pending boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select invitations.id, companies.id, companies.name, memberships.name, invitations.email, invitations.expires_at,
    invitations.created_at, invitations.status = 'pending' and invitations.expires_at > now()
  from accounts
  join invitations on invitations.email = accounts.email
  join companies on companies.id = invitations.company_id
  left join memberships on memberships.company_id = invitations.company_id and memberships.account_id = invitations.inviter_id
  where accounts.id = current_account() and accounts.email_verified_at is not null
    and companies.deleted_at is null and companies.suspended_at is null;
end;
revoke all on function own_invitations from public;
grant execute on function own_invitations to tenantry_account;
