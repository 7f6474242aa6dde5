-- An offer of ownership to or from a member who has to confirm an address, or who may not open the company because an administrator has seen
-- a password, can't be accepted. It ends for good: otherwise it would come to life again unasked, once the member may open the company.
create or replace function end_offers_of_waiting() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update ownership_offers set expires_at = least(expires_at, now())
  where company_id = new.company_id and new.account_id in (from_id, to_id);
  return null;
end
$$;
revoke all on function end_offers_of_waiting from public;

create or replace trigger end_offers_of_waiting after update of awaits_verification on memberships
  for each row when (new.awaits_verification and not old.awaits_verification) execute function end_offers_of_waiting();
