-- An account whose password was chosen by an emailed link is managed by no company that it has not opened since: the list of members shows it
-- (sync_membership_from_account).
create or replace function sync_managed_membership() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update memberships set email = new.email where account_id = new.id and created_account;
  return null;
end
$$;
revoke all on function sync_managed_membership from public;

create or replace trigger sync_managed_membership after update of reset_by_link_at on accounts
  for each row when (old.reset_by_link_at is distinct from new.reset_by_link_at)
  execute function sync_managed_membership();
