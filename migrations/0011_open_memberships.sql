-- The one definition of access: the active, verified memberships of companies that are not deleted, with what their roles
-- give. It reads with the rights and policies of the role that asks, so it shows a company only its own rows and an account
-- only its own memberships. A query that leaves out a column does not compute it. A member may have both a replaced role and
-- its replacement, which are equal. A suspended company is shown, because its members are told so: what grants something by a
-- membership leaves it out.
create view open_memberships with (security_invoker = true) as
  select memberships.company_id, memberships.account_id, memberships.opened_at, memberships.created_account,
    memberships.created_at, companies.name as company_name, companies.slug as company_slug,
    companies.suspended_at is not null as is_suspended,
    array(
      select distinct on (roles.name) json_build_array(roles.name, roles.permissions)
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by roles.name) as roles,
    array(
      select distinct unnest(roles.permissions) from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by 1) as permissions,
    exists (
      select from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
        and roles.system_key = 'owner') as is_owner
  from memberships join companies on companies.id = memberships.company_id
  where memberships.status = 'active' and not memberships.awaits_verification and companies.deleted_at is null;
grant select on open_memberships to tenantry_tenant, tenantry_account;
