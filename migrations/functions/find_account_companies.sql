-- For operators, who act as the worker: every membership of an account with the names of its roles, whatever its state and that of
-- the company.
create or replace function find_account_companies(account uuid)
returns table (id uuid, name text, slug text, status text, membership text, roles text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select companies.id, companies.name, companies.slug,
    case when companies.deleted_at is not null then 'deleted'
      when companies.suspended_at is not null then 'suspended' else 'active' end,
    case when memberships.awaits_verification then 'unverified' else memberships.status end,
    array(
      select distinct roles.name from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = companies.id and membership_roles.account_id = account order by roles.name)
  from memberships join companies on companies.id = memberships.company_id
  where memberships.account_id = account
  order by companies.name, companies.id;
end;
revoke all on function find_account_companies from public;
grant execute on function find_account_companies to tenantry_worker;
