-- For the worker: companies with replaced roles whose members are still to be rewritten.
create or replace function companies_with_replaced_roles() returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct roles.company_id
  from roles join companies on companies.id = roles.company_id
  where roles.replaced_by is not null and companies.purge_started_at is null;
end;
revoke all on function companies_with_replaced_roles from public;
grant execute on function companies_with_replaced_roles to tenantry_worker;
