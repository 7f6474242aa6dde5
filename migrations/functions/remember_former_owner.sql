-- Who was an owner that counts until the membership ended or became inactive. A purge acts in no company, and remembers no owners.
create or replace function remember_former_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into former_owners (company_id, account_id, member_since)
  select old.company_id, old.account_id, old.created_at
  where exists (
    select from membership_roles held join roles on roles.company_id = held.company_id and roles.id = held.role_id
    where held.company_id = old.company_id and held.account_id = old.account_id and roles.system_key = 'owner')
  on conflict (company_id, account_id) do update set ended_at = excluded.ended_at;
  return old;
end
$$;
revoke all on function remember_former_owner from public;

-- Before, because the roles go with the membership.
create or replace trigger remember_removed_owner before delete on memberships
  for each row when (current_company() is not null and old.status = 'active' and old.opened_at is not null)
  execute function remember_former_owner();
create or replace trigger remember_inactive_owner after update of status on memberships
  for each row when (old.status = 'active' and new.status <> 'active' and old.opened_at is not null)
  execute function remember_former_owner();
