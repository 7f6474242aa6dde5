-- Whether a temporary password that an administrator was shown, and did not have emailed, still signs in: the administrator could set it
-- now, as password_reset_authority tells it, and has been in the companies ever since. So the company that manages the account has it as a
-- member, and in each company that the account has opened, and in that one, the administrator is an active member, may change
-- members, and lacks nothing of what the account holds there. Otherwise who was removed from a company would come back by the account of
-- another member. The account of the administrator is neither disabled nor was recovered since, from an intruder, a stranger or who was
-- shown a password of it: then who was shown the password may not be that administrator. Not for an account that has opened more than 50
-- companies: everyone may try to sign in to it.
create or replace function is_shown_password_usable(administrator uuid, account uuid, shown_at timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select case when (
    select count(*) from (
      select from memberships held join accounts on accounts.id = held.account_id
      where held.account_id = account and (held.opened_at is not null or held.company_id = accounts.managed_by)
      limit 51) counted) > 50
  then false else exists (
    select from accounts administrators, accounts managed
    join memberships managing on managing.company_id = managed.managed_by and managing.account_id = managed.id
    where administrators.id = administrator and managed.id = account and administrators.disabled_at is null
      and (managed.reset_by_link_at is null or managing.opened_at > managed.reset_by_link_at)
      and coalesce(greatest(administrators.recovered_at, administrators.vouches_from) < shown_at, true)
      and not exists (
        select from memberships held
        where held.account_id = account and (held.opened_at is not null or held.company_id = managed.managed_by)
          and not exists (
            select from memberships own join companies on companies.id = own.company_id
            where own.company_id = held.company_id and own.account_id = administrator and own.status = 'active'
              and own.created_at <= shown_at
              and (own.added_by is null or coalesce(administrators.regained_at < shown_at, true))
              and not own.awaits_verification and companies.deleted_at is null and companies.suspended_at is null
              and exists (
                select from membership_roles
                join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
                where membership_roles.company_id = own.company_id and membership_roles.account_id = administrator
                  and (roles.system_key = 'owner' or 'users:update' = any (roles.permissions)))
              and covers_member(own.company_id, administrator, account)
              and not awaits_second_factor(own.company_id, administrator)))) end;
end;
revoke all on function is_shown_password_usable from public;
grant execute on function is_shown_password_usable to tenantry_account, tenantry_tenant;
