-- The invitation whose email carries this link, for the person who holds it: pending ones, and accepted ones, whose acceptance may be
-- repeated, until they expire. None of a company that is deleted or suspended.
create or replace function find_invitation(wanted_link uuid)
returns table (
  id uuid, company_id uuid, company_name text, inviter_name text, email text, locale text, expires_at timestamptz, is_pending boolean,
  has_account boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select invitations.id, companies.id, companies.name, memberships.name, invitations.email, invitations.locale, invitations.expires_at,
    invitations.status = 'pending', exists (select from accounts where accounts.email = invitations.email)
  from invitations
  join companies on companies.id = invitations.company_id
  left join memberships on memberships.company_id = invitations.company_id and memberships.account_id = invitations.inviter_id
  where invitations.link_id = wanted_link
    and invitations.status in ('pending', 'accepted') and invitations.expires_at > now()
    and companies.deleted_at is null and companies.suspended_at is null;
end;
revoke all on function find_invitation from public;
grant execute on function find_invitation to tenantry_account;
