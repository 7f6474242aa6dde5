-- The companies of an account in which the current account has users:read in this session, with the account's roles there.
create or replace function find_member_companies(member_id uuid, session_id uuid default null, address inet default null)
returns table (id uuid, name text, slug text, roles text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select companies.id, companies.name, companies.slug, array(
    select distinct roles.name from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = companies.id and membership_roles.account_id = member_id
    order by roles.name)
  from memberships
  join companies on companies.id = memberships.company_id
  where memberships.account_id = member_id
    and companies.id in (select companies_with_permission('users:read', session_id, address))
  order by companies.name, companies.id;
end;
revoke all on function find_member_companies from public;
grant execute on function find_member_companies to tenantry_tenant;
