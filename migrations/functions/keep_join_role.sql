-- The role that people get who join by a domain is replaced there, too, in the statement that replaces it, and is not deleted without another
-- one: they would get Member instead, which may give more, and only an owner chooses that. This version looks before it deletes a role; a
-- node of 0.2.0 knows of no domains, and answers this class of errors with 503. A purge deletes what was chosen before the roles.
create or replace function keep_join_role() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    if exists (select from company_domain_roles where company_id = old.company_id and role_id = old.id) then
      raise exception 'people who join by a domain get role %', old.id
        using errcode = '53F2C', constraint = 'company_domain_roles_kept';
    end if;
    return old;
  end if;
  insert into company_domain_roles (company_id, domain_id, role_id)
    select company_id, domain_id, new.replaced_by from company_domain_roles where company_id = new.company_id and role_id = new.id
  on conflict do nothing;
  delete from company_domain_roles where company_id = new.company_id and role_id = new.id;
  return null;
end
$$;
revoke all on function keep_join_role from public;

create or replace trigger keep_join_role before delete on roles
  for each row when (old.system_key is null) execute function keep_join_role();
create or replace trigger replace_join_role after update on roles
  for each row when (old.replaced_by is null and new.replaced_by is not null) execute function keep_join_role();
