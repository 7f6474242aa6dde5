-- A system role gives what its list gives, by whatever version its row is written: a node of an older version beside this one creates companies
-- with the lists that it knows. Fires after copy_replacing_role, so that a role which a system role replaces follows the list,
-- too, also while the row that it copies is being completed.
create or replace function set_system_role_permissions() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  new.permissions := system_role_permissions(new.system_key);
  return new;
end
$$;
revoke all on function set_system_role_permissions from public;

create or replace trigger set_system_role_permissions before insert or update on roles
  for each row when (new.system_key is not null) execute function set_system_role_permissions();
