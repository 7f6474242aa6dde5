-- Who was an owner that counts until the role was taken away.
create or replace function remember_demoted_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into former_owners (company_id, account_id)
  select old.company_id, old.account_id
  from roles
  join memberships on memberships.company_id = roles.company_id and memberships.account_id = old.account_id
  where roles.company_id = old.company_id and roles.id = old.role_id and roles.system_key = 'owner'
    and memberships.status = 'active' and memberships.opened_at is not null
  on conflict (company_id, account_id) do update set ended_at = excluded.ended_at;
  return null;
end
$$;
revoke all on function remember_demoted_owner from public;

create or replace trigger remember_demoted_owner after delete on membership_roles
  for each row when (current_company() is not null) execute function remember_demoted_owner();
