-- Locks, in the order of their ids, the companies whose policy asks for second factors and that the current account is a member of:
-- before the account, as everywhere, so that what decides whether it may remove its last one does not change meanwhile.
create or replace function lock_requiring_companies() returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from companies
  where policy_factor_from is not null and deleted_at is null and id in (
    select company_id from memberships
    where account_id = current_account() and status = 'active' and opened_at is not null)
  order by id for no key update;
end
$$;
revoke all on function lock_requiring_companies from public;
grant execute on function lock_requiring_companies to tenantry_account;
