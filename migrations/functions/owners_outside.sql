-- Whether an owner of the current company was seen outside of these networks: where one of the live sessions was last used, or nowhere,
-- for an owner who is signed in nowhere may come from anywhere. Disabled ones count, because they may be enabled again.
create or replace function owners_outside(networks cidr[]) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (
    select
    from (
      select distinct membership_roles.account_id from membership_roles
      where company_id = current_company() and role_id = any (array(
        select id from roles where company_id = current_company() and system_key = 'owner'))) held
    join memberships on memberships.company_id = current_company() and memberships.account_id = held.account_id
    cross join lateral (
      select bool_and(coalesce(sessions.last_ip, sessions.ip) <<= any (networks)) as are_inside from sessions
      where sessions.account_id = held.account_id and sessions.revoked_at is null and not sessions.must_change_password
        and least(sessions.refresh_expires_at, sessions.expires_at) > now()) live
    where memberships.status = 'active' and memberships.opened_at is not null and are_inside is not true);
end;
revoke all on function owners_outside from public;
grant execute on function owners_outside to tenantry_tenant;
