-- An administrator is shown a password of an account only where no offer of ownership protects it, but one that the policy keeps from being
-- accepted may be there. It ends for good: who signs in may be the administrator. So may who changes the address, which ends the mark: what
-- was offered meanwhile was offered to the reader of the former one.
create or replace function end_offers_of_shown() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update ownership_offers set expires_at = least(expires_at, now())
  from memberships
  where memberships.account_id = new.id and ownership_offers.company_id = memberships.company_id and to_id = new.id;
  return null;
end
$$;
revoke all on function end_offers_of_shown from public;

create or replace trigger end_offers_of_shown after update of password_shown_at, email on accounts
  for each row when (new.password_shown_at is not null or (old.password_shown_at is not null and new.email <> old.email))
  execute function end_offers_of_shown();
