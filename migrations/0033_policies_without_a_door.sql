-- expand: a view that nodes of 0.2.0 alone read. It hid companies whose policy is asked at their door, and not those whose policy is asked of
-- new members or before changes alone: such a node let people in from any domain, and took changes from sessions that had proved nothing
-- lately.
create or replace view open_memberships with (security_invoker = true) as
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
  where memberships.status = 'active' and not memberships.awaits_verification and companies.deleted_at is null
    and not companies.has_policy and companies.policy_domains is null and companies.policy_step_up is null;
