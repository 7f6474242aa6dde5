-- A member may give an address up, and be removed or made inactive then: who has that address later, under another account, does not join by
-- it at once. A company that is being purged remembers nothing: the purge holds its row, and may wait for this account.
create or replace function remember_former_address() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into former_addresses (company_id, email, account_id)
  select id, old.email, old.account_id from companies where id = old.company_id and purge_started_at is null
  on conflict do nothing;
  return null;
end
$$;
revoke all on function remember_former_address from public;

create or replace trigger remember_former_address after update of email on memberships
  for each row when (old.email <> new.email) execute function remember_former_address();
