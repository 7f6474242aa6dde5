-- The invitation link with this token, as long as it is neither revoked nor expired, of a company that is neither deleted nor
-- suspended.
create or replace function find_invitation_link(wanted_hash bytea) returns table (id uuid, company_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select invitation_links.id, companies.id
  from invitation_links join companies on companies.id = invitation_links.company_id
  where token_hash = wanted_hash and revoked_at is null and expires_at > now()
    and companies.deleted_at is null and companies.suspended_at is null;
end;
revoke all on function find_invitation_link from public;
grant execute on function find_invitation_link to tenantry_account;
