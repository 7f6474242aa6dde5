-- A request to join is for one verified address: it ends when the address changes, or counts as verified no more. Declined ones
-- stay, so that a change of address is no way to ask again.
create or replace function end_join_requests_of_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from join_requests where account_id = new.id and declined_at is null;
  return null;
end
$$;
revoke all on function end_join_requests_of_account from public;

create or replace trigger end_join_requests after update of email, email_verified_at on accounts
  for each row when (
    old.email <> new.email or (old.email_verified_at is not null and new.email_verified_at is null))
  execute function end_join_requests_of_account();
