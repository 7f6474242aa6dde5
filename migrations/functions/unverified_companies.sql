-- The companies whose membership of the current account awaits verification of its address.
create or replace function unverified_companies() returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select company_id from memberships where account_id = current_account() and awaits_verification order by company_id;
end;
revoke all on function unverified_companies from public;
grant execute on function unverified_companies to tenantry_account;
