-- An invitation to an address that a member has is over: it counts as accepted, however the account became a member or got the address.
-- Otherwise it would let the former member in once the membership has ended, as another account. A changed address comes without the
-- company's lock; the rows of invitations are locked after the account, as everywhere.
create or replace function accept_invitations_of_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update invitations set status = 'accepted', accepted_by = new.account_id, finished_at = now()
  where company_id = new.company_id and email = new.email and status = 'pending' and expires_at > now();
  return null;
end
$$;
revoke all on function accept_invitations_of_member from public;

create or replace trigger accept_invitations_of_member after insert on memberships
  for each row execute function accept_invitations_of_member();

create or replace trigger accept_invitations_of_address after update of email on memberships
  for each row when (old.email <> new.email) execute function accept_invitations_of_member();
