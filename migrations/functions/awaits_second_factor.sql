-- Whether the policy of a company asks a member for a second factor that the account does not have: it lets no session of the
-- account in. Called by other functions alone. Not in SQL, so that these do not depend on the columns of companies.
create or replace function awaits_second_factor(company uuid, member uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return exists (
    select from companies
    join memberships on memberships.company_id = companies.id and memberships.account_id = member
    join accounts on accounts.id = member
    where companies.id = company and not accounts.has_second_factor
      and asks_second_factor(companies, array(
        select coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text)
        from membership_roles
        join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
        where membership_roles.company_id = company and membership_roles.account_id = member), now()));
end
$$;
revoke all on function awaits_second_factor from public;
