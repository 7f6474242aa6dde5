-- The account with this id or this address, for linking it to a company: what the email to it needs, and nothing of its
-- profile; and whether it is a member of the current company. The row is locked, so that the address is still the wanted one
-- when the account is linked. Not shared: companies whose transactions share the lock one after another keep the account itself from it,
-- and so from signing in, while those that wait for it take turns.
create or replace function find_account(wanted_id uuid, wanted_email text)
returns table (id uuid, email text, name text, locale text, is_verified boolean, is_member boolean)
language sql volatile security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.id, accounts.email, accounts.name, accounts.locale, accounts.email_verified_at is not null,
    exists (select from memberships where company_id = current_company() and account_id = accounts.id)
  from accounts
  where current_company() is not null and (accounts.id = wanted_id or accounts.email = wanted_email) for no key update;
end;
revoke all on function find_account from public;
grant execute on function find_account to tenantry_tenant;
