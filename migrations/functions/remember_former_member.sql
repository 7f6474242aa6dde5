-- An account whose membership has ended joins again only when the company decides so: it may have been removed, or it leaves to
-- shed an inactive status or a weaker role. Nor does another account that has its address later. One that leaves before its address was
-- verified was never let in. A purge acts in no company, and remembers no members.
create or replace function remember_former_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into former_members (company_id, account_id) values (old.company_id, old.account_id)
  on conflict (company_id, account_id) do update set left_at = excluded.left_at;
  insert into former_addresses (company_id, email, account_id) values (old.company_id, old.email, old.account_id)
  on conflict do nothing;
  return null;
end
$$;
revoke all on function remember_former_member from public;

create or replace trigger remember_former_member after delete on memberships
  for each row when (
    current_company() is not null
    and (not old.awaits_verification or old.status = 'inactive' or old.account_id is distinct from current_account()))
  execute function remember_former_member();
