-- Who was an owner that counts until the role was taken away. Not where another role makes the member one, as when a role is exchanged.
create or replace function remember_demoted_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into former_owners (company_id, account_id, member_since)
  select old.company_id, old.account_id, memberships.created_at
  from roles
  join memberships on memberships.company_id = roles.company_id and memberships.account_id = old.account_id
  where roles.company_id = old.company_id and roles.id = old.role_id and roles.system_key = 'owner'
    and memberships.status = 'active' and memberships.opened_at is not null
    and not exists (
      select from membership_roles held join roles kept on kept.company_id = held.company_id and kept.id = held.role_id
      where held.company_id = old.company_id and held.account_id = old.account_id and kept.system_key = 'owner')
  on conflict (company_id, account_id) do update set ended_at = excluded.ended_at;
  return null;
end
$$;
revoke all on function remember_demoted_owner from public;

create or replace trigger remember_demoted_owner after delete on membership_roles
  for each row when (current_company() is not null) execute function remember_demoted_owner();
