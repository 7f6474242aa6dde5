-- Copies a changed name, address or verification into the memberships of the account. A change of the address first ends the
-- memberships that await verification of the former one (src/features/members/unverified-memberships.ts); a membership that was added since
-- makes the transaction start again, and is ended then.
create or replace function sync_memberships_from_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.email <> old.email and exists (select from memberships where account_id = new.id and awaits_verification) then
    raise exception 'account % has memberships that await verification of its former address', new.id
      using errcode = 'serialization_failure';
  end if;
  update memberships
  set name_folded = new.name_folded, email = new.email, search = new.name_folded || ' ' || new.email,
    awaits_verification = opened_at is null and new.email_verified_at is null and (
      awaits_verification or new.password_shown_at is not null and not created_account)
  where account_id = new.id;
  return null;
end
$$;
revoke all on function sync_memberships_from_account from public;

create or replace trigger sync_memberships after update of name_folded, email, email_verified_at, password_shown_at on accounts
  for each row when (
    old.name_folded <> new.name_folded or old.email <> new.email
    or old.email_verified_at is distinct from new.email_verified_at
    or old.password_shown_at is distinct from new.password_shown_at)
  execute function sync_memberships_from_account();
