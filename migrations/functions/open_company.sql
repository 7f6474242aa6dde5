-- For the access check: opens the company for the current account, if its membership allows that. False: it does not. Opens the one that created
-- the account anew once its reader has chosen a password by a link: before that another person may have opened it, by a password that was shown.
create or replace function open_company(company uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Before the membership, in the order of every change of an account: a password is shown either before or after this.
  perform from accounts where id = current_account() for no key update;
  update memberships set opened_at = now()
  where company_id = company and account_id = current_account()
    and status = 'active' and not awaits_verification
    and (opened_at is null
      or created_account and opened_at <= (select reset_by_link_at from accounts where id = current_account()));
  return exists (
    select from memberships
    where company_id = company and account_id = current_account() and status = 'active' and opened_at is not null);
end
$$;
revoke all on function open_company from public;
grant execute on function open_company to tenantry_account;
