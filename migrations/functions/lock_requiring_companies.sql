-- Locks, in the order of their ids, the companies whose policy asks for second factors and that the current account is an owner of:
-- before the account, as everywhere, so that what decides whether it may remove its last one does not change meanwhile, and another owner
-- does not leave because this one has a factor. Not those of other members, who would hold them up while they wait for the next one.
create or replace function lock_requiring_companies() returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from companies
  where policy_factor_from is not null and deleted_at is null and id in (
    select memberships.company_id from memberships
    join membership_roles on membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
    join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
    where memberships.account_id = current_account() and memberships.status = 'active' and memberships.opened_at is not null
      and roles.system_key = 'owner')
  order by id for no key update;
end
$$;
revoke all on function lock_requiring_companies from public;
grant execute on function lock_requiring_companies to tenantry_account;
