-- Whether a temporary password that an administrator was shown, and did not have emailed, still signs in: the administrator has been an
-- active member of the company that manages the account ever since, and could add or reset such a member now; and the account of the
-- administrator is neither disabled nor was recovered from an intruder since: then who was shown the password may not be that
-- administrator. An account that no company manages any more, or a deleted one, has no such
-- administrator.
create or replace function is_shown_password_usable(administrator uuid, account uuid, shown_at timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (
    select from accounts administrators, accounts managed
    where administrators.id = administrator and managed.id = account and administrators.disabled_at is null
      and coalesce(administrators.recovered_at < shown_at, true)
      and exists (
        select from memberships join companies on companies.id = memberships.company_id and companies.deleted_at is null
        where company_id = managed.managed_by and account_id = administrator and status = 'active'
          and memberships.created_at <= shown_at
          and exists (
            select from membership_roles
            join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
            where membership_roles.company_id = memberships.company_id and membership_roles.account_id = administrator
              and (roles.system_key = 'owner' or roles.permissions && '{users:create,users:update}'))
          and covers_member(memberships.company_id, administrator, account)
          and not awaits_second_factor(memberships.company_id, administrator)));
end;
revoke all on function is_shown_password_usable from public;
grant execute on function is_shown_password_usable to tenantry_account, tenantry_tenant;
