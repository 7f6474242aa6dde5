-- The companies in which the current account is an active, verified member with a role that grants the permission. In a suspended
-- company no role grants anything.
-- None outside of a company, like every function of company routes: a read may arrive there before access is decided.
create or replace function companies_with_permission(permission text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select company_id from usable_memberships
  where account_id = current_account() and permission = any (grants) and not is_suspended and current_company() is not null;
end;
revoke all on function companies_with_permission from public;
