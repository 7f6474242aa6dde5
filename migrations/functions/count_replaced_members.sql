-- Before a role is replaced: adds its members, except those who have the replacement already, to the counter of the replacement.
-- Looks at the next members by id, so that no call takes long, and returns the last of them; null: no more are left. Planned for
-- these very roles and members: merging two indexes in the order of the members is the fastest way.
create or replace function count_replaced_members(replaced uuid, replacement uuid, after uuid, members_max integer) returns uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_custom_plan set enable_hashjoin = off set work_mem = '16MB' as $$
declare
  company constant uuid := current_company();
  -- With those that they have replaced.
  losing constant uuid[] := array(
    select id from roles where company_id = company and (id = replaced or replaced_by = replaced));
  giving constant uuid[] := array(
    select id from roles where company_id = company and (id = replacement or replaced_by = replacement));
  looked_at integer;
  last uuid;
  had integer;
begin
  select count(*), (array_agg(account_id order by account_id desc))[1] into looked_at, last
  from (
    select distinct account_id from membership_roles
    where company_id = company and role_id = any (losing) and account_id > after
    order by account_id limit members_max
  ) next_members;
  select count(distinct account_id) into had from membership_roles other
  where company_id = company and role_id = any (giving) and account_id > after and account_id <= last and exists (
    select from membership_roles held
    where held.company_id = company and held.account_id = other.account_id and held.role_id = any (losing)
      and held.account_id > after and held.account_id <= last);
  insert into role_counters (company_id, role_id, members)
    select company, replacement, looked_at - had where exists (select from roles where company_id = company and id = replacement)
    on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
  return case when looked_at = members_max then last end;
end
$$;
revoke all on function count_replaced_members from public;
grant execute on function count_replaced_members to tenantry_tenant;
