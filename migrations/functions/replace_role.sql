-- What follows when a role is replaced: roles that it replaced before are replaced by the same one, so that no replacement was
-- replaced itself. When a role changes, those that it replaced follow.
create or replace function replace_role() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.replaced_by is not null then
    delete from role_counters where company_id = new.company_id and role_id = new.id;
  end if;
  update roles set replaced_by = coalesce(new.replaced_by, new.id)
  where company_id = new.company_id and replaced_by = new.id;
  return null;
end
$$;
revoke all on function replace_role from public;

create or replace trigger replace_role after update on roles
  for each row when (old.replaced_by is null and new.replaced_by is not null) execute function replace_role();
create or replace trigger change_replacing_role after update on roles
  for each row when (
    new.replaced_by is null
    and (old.name, old.permissions, old.system_key) is distinct from (new.name, new.permissions, new.system_key))
  execute function replace_role();
