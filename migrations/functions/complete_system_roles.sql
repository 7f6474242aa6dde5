-- For a start: gives the system roles of the next companies what their lists give. Rows that are written while this runs have
-- it already (set_system_role_permissions). Returns how many companies it looked at; null: there is nothing left to do.
create or replace function complete_system_roles(companies_max integer) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  -- Of the role Manager, before there were permissions that it does not give.
  former constant text := 'an view everything, add and edit members, and manage branches.';
  present constant text := 'an view members, branches, roles, and the audit log, add and edit members, and manage branches.';
  begun uuid;
  next_companies uuid[];
begin
  select coalesce(done_through, '00000000-0000-0000-0000-000000000000') into begun
  from backfills where name = 'system_roles' and finished_at is null for update;
  if not found then return null; end if;
  next_companies := array(select id from companies where id > begun order by id limit companies_max);

  update roles set
    permissions = system_role_permissions(system_key),
    description = replace(description, former, present),
    search = replace(search, former, present),
    updated_at = now()
  where company_id = any (next_companies) and system_key is not null and replaced_by is null
    and (permissions <> system_role_permissions(system_key) or description like '%' || former);

  update backfills set
    done_through = coalesce(next_companies[cardinality(next_companies)], done_through),
    finished_at = case when cardinality(next_companies) < companies_max then now() end
  where name = 'system_roles';
  return cardinality(next_companies);
end
$$;
revoke all on function complete_system_roles from public;
