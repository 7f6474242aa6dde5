-- Adjusts the counters of roles by the members who got or lost them, once for each statement.
create or replace function count_role_holders() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'DELETE' then
    insert into role_counters (company_id, role_id, members)
      select company_id, role_id, count(*) from new_rows group by company_id, role_id order by company_id, role_id
      on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
  end if;
  if tg_op <> 'INSERT' then
    update role_counters set members = role_counters.members - lost.members
    from (select company_id, role_id, count(*) as members from old_rows group by company_id, role_id) lost
    where role_counters.company_id = lost.company_id and role_counters.role_id = lost.role_id;
  end if;
  return null;
end
$$;
revoke all on function count_role_holders from public;

create or replace trigger count_inserted after insert on membership_roles referencing new table as new_rows
  for each statement execute function count_role_holders();
create or replace trigger count_deleted after delete on membership_roles referencing old table as old_rows
  for each statement execute function count_role_holders();
create or replace trigger count_updated after update on membership_roles
  referencing old table as old_rows new table as new_rows
  for each statement execute function count_role_holders();
