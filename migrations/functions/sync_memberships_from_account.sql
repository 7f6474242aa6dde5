-- Brings a changed account into its memberships: their own trigger copies the values (sync_membership_from_account). A change of
-- the address first ends the memberships that await verification of the former one
-- (src/features/members/unverified-memberships.ts); a membership that was added since makes the transaction start again, and is
-- ended then.
create or replace function sync_memberships_from_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.email <> old.email and exists (select from memberships where account_id = new.id and awaits_verification) then
    raise exception 'account % has memberships that await verification of its former address', new.id
      using errcode = 'serialization_failure';
  end if;
  -- A company more or less, which no other column changes with, matters only to the company that created the account.
  update memberships
  set email = new.email,
    awaits_verification = opened_at is null and new.email_verified_at is null and (
      awaits_verification or new.password_shown_at is not null and not created_account)
  where account_id = new.id and (created_account or new.opened_companies = old.opened_companies);
  return null;
end
$$;
revoke all on function sync_memberships_from_account from public;

create or replace trigger sync_memberships
  after update of name, name_folded, email, phone, position, avatar_url, must_change_password, email_verified_at,
    password_shown_at, opened_companies, has_second_factor on accounts
  for each row when (
    (old.name, old.name_folded, old.email, old.phone, old.position, old.avatar_url, old.must_change_password,
      old.email_verified_at, old.password_shown_at, old.opened_companies, old.has_second_factor)
    is distinct from
    (new.name, new.name_folded, new.email, new.phone, new.position, new.avatar_url, new.must_change_password,
      new.email_verified_at, new.password_shown_at, new.opened_companies, new.has_second_factor))
  execute function sync_memberships_from_account();
