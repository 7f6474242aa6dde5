-- What follows when a role is replaced: its members count for the replacement, each once, and roles that it replaced before are
-- replaced by the same one, so that no replacement was replaced itself. When a role changes, those that it replaced follow.
-- Planned for these very roles: one may have a member, the other one a million.
create or replace function replace_role() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  replaced constant uuid[] := array(
    select id from roles where company_id = new.company_id and (id = new.id or replaced_by = new.id));
  replacing constant uuid[] := array(
    select id from roles
    where company_id = new.company_id and id <> new.id and (id = new.replaced_by or replaced_by = new.replaced_by));
  gained bigint;
begin
  if new.replaced_by is not null then
    select count(distinct account_id) into gained from membership_roles held
    where company_id = new.company_id and role_id = any (replaced) and not exists (
      select from membership_roles other
      where other.company_id = new.company_id and other.account_id = held.account_id and other.role_id = any (replacing));
    insert into role_counters (company_id, role_id, members) values (new.company_id, new.replaced_by, gained)
      on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
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
