-- The companies in which the current account is an active, verified member with a role that grants the permission.
create or replace function companies_with_permission(permission text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct memberships.company_id
  from memberships
  join companies on companies.id = memberships.company_id and companies.deleted_at is null
  join membership_roles on membership_roles.company_id = memberships.company_id
    and membership_roles.account_id = memberships.account_id
  join roles on roles.id = membership_roles.role_id
  where memberships.account_id = current_account() and memberships.status = 'active' and not memberships.awaits_verification
    and permission = any (roles.permissions);
end;
revoke all on function companies_with_permission from public;
