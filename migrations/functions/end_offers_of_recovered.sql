-- What an account has offered of companies that it owns, and what it was offered, expires when the account is recovered from an intruder: who
-- offered it to the reader of one address did not mean the reader of another one. This version compares the times when the offer is
-- accepted, also of one that was under way; a node of 0.2.0 knows of no recovery, but looks whether an offer has expired.
create or replace function end_offers_of_recovered() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update ownership_offers set expires_at = least(expires_at, now())
  from memberships
  where memberships.account_id = new.id and ownership_offers.company_id = memberships.company_id
    and new.id in (from_id, to_id);
  return null;
end
$$;
revoke all on function end_offers_of_recovered from public;

create or replace trigger end_offers_of_recovered after update of recovered_at on accounts
  for each row when (new.recovered_at is distinct from old.recovered_at) execute function end_offers_of_recovered();
