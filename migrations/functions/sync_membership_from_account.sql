-- Copies an account's name and address into its new membership, and decides whether the membership awaits verification: where
-- the company asks for it and the address is not verified, and where an administrator has seen a password of the account, except
-- in the company that manages the account and gains nothing by it.
create or replace function sync_membership_from_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- An opened membership is counted in its account afterwards (count_opened_company). Two transactions that first share
  -- the account's lock and then both want to update it would deadlock.
  if new.opened_at is not null then
    perform from accounts where id = new.account_id for no key update;
  end if;
  -- With the lock either this insert or a concurrent change of the account waits, so that no outdated value is copied.
  select accounts.name_folded, accounts.email, accounts.name_folded || ' ' || accounts.email,
    new.opened_at is null and (
      new.awaits_verification and accounts.email_verified_at is null
      or accounts.password_shown_at is not null and accounts.managed_by is distinct from new.company_id),
    accounts.managed_by is not distinct from new.company_id
  into new.name_folded, new.email, new.search, new.awaits_verification, new.created_account
  from accounts where accounts.id = new.account_id for share;
  return new;
end
$$;
revoke all on function sync_membership_from_account from public;

create or replace trigger sync_from_account before insert on memberships
  for each row execute function sync_membership_from_account();
