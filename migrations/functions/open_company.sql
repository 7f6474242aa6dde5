-- For the access check: opens the company for the current account, if its membership allows that. False: it does not. Null: the session has
-- ended. Opens the one that created the account anew once its reader has chosen a password by a link: before that another person may have
-- opened it, by a password that was shown. A node of the version before names no session, so it opens none within seconds after such a link.
create or replace function open_company(company uuid, session_id uuid default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  reset_at timestamptz;
begin
  -- Before the membership, in the order of every change of an account: a password is shown, or chosen, either before or after this.
  select reset_by_link_at into reset_at from accounts where id = current_account() for no key update;
  if session_id is null and reset_at > now() - interval '10 seconds' then
    return false;
  end if;
  -- It may have ended while this waited for the account, by the link that takes the account from who opens the company.
  if session_id is not null and not exists (
    select from sessions
    where id = session_id and account_id = current_account()
      and revoked_at is null and expires_at > now() and not must_change_password) then
    return null;
  end if;
  update memberships set opened_at = now()
  where company_id = company and account_id = current_account()
    and status = 'active' and not awaits_verification
    and (opened_at is null or created_account and opened_at <= reset_at);
  return exists (
    select from memberships
    where company_id = company and account_id = current_account() and status = 'active' and opened_at is not null);
end
$$;
revoke all on function open_company from public;
grant execute on function open_company to tenantry_account;
