-- Copies an account's name and address, and what else its company may see of it, into a membership that is new, that the
-- account opens, or whose account has changed. Decides whether a new membership awaits verification: where the company asks for
-- it and the address is not verified, and where an administrator has seen a password of the account, except in the company that
-- manages the account and gains nothing by it.
create or replace function sync_membership_from_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  account accounts;
  is_opened constant boolean := new.opened_at is not null;
  is_held boolean;
  is_shown boolean;
begin
  -- With the lock either this statement or a concurrent change of the account waits, so that no outdated value is copied. Not shared, because an
  -- opened membership is counted in its account afterwards (count_opened_company): two that share it and then want to update would deadlock.
  select * into account from accounts where id = new.account_id for no key update;
  if tg_op = 'INSERT' then
    new.created_account := account.managed_by is not distinct from new.company_id;
    new.awaits_verification := not is_opened and (
      new.awaits_verification and account.email_verified_at is null
      or account.password_shown_at is not null and not new.created_account);
  end if;
  -- Of an account that it has created a company sees more, until a password was chosen by a link and as long as it is not opened since.
  is_held := new.created_account
    and (account.reset_by_link_at is null or coalesce(new.opened_at > account.reset_by_link_at, false));
  -- What the company that has created the account opened before that may have been an administrator.
  is_shown := is_opened and (is_held or not new.created_account);
  new.name := account.name;
  new.name_folded := account.name_folded;
  new.email := account.email;
  new.search := account.name_folded || ' ' || account.email;
  new.account_phone := case when is_shown then account.phone else '' end;
  new.account_position := case when is_shown then account.position else '' end;
  new.avatar_url := case when is_shown then account.avatar_url end;
  new.must_change_password := account.must_change_password and (is_shown or is_held);
  new.second_factor := account.has_second_factor and (is_shown or is_held);
  new.managed := is_held and account.opened_companies = is_opened::integer;
  new.password_shown := account.password_shown_at is not null and (is_shown or is_held);
  return new;
end
$$;
revoke all on function sync_membership_from_account from public;

create or replace trigger sync_from_account before insert or update of email, opened_at on memberships
  for each row execute function sync_membership_from_account();
