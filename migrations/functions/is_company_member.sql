-- Whether the current account has a membership in a company, also an inactive or unverified one: for leaving the company.
create or replace function is_company_member(company uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (
    select from memberships join companies on companies.id = memberships.company_id
    where memberships.company_id = company and memberships.account_id = current_account() and companies.deleted_at is null);
end;
revoke all on function is_company_member from public;
grant execute on function is_company_member to tenantry_account;
