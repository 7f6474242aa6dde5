-- A replaced role gives what the role that replaced it gives, from the statement that replaces it on, and again whenever that
-- one changes: so a query of a member's roles reads the right ones, without knowing of the replacement.
create or replace function copy_replacing_role() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  select name, name_folded, permissions, system_key into new.name, new.name_folded, new.permissions, new.system_key
  from roles where company_id = new.company_id and id = new.replaced_by and replaced_by is null;
  if not found then
    raise exception 'role % is replaced by % which is no role', new.id, new.replaced_by
      using errcode = 'foreign_key_violation', constraint = 'roles_replaced_by_fkey';
  end if;
  return new;
end
$$;
revoke all on function copy_replacing_role from public;

create or replace trigger copy_replacing_role before insert or update on roles
  for each row when (new.replaced_by is not null) execute function copy_replacing_role();
