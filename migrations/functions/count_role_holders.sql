-- Adjusts the counters of roles by the members who got or lost them, once for each statement. A role that was replaced counts
-- for its replacement, and a member who has both counts once: that is looked up only in companies with replaced roles. One
-- statement inserts or deletes, never both: each of the two would see the effect of the other.
create or replace function count_role_holders() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if not exists (
      select from roles where replaced_by is not null and company_id in (select company_id from new_rows)
    ) then
      insert into role_counters (company_id, role_id, members)
        select company_id, role_id, count(*) from new_rows group by company_id, role_id order by company_id, role_id
        on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
      return null;
    end if;
    insert into role_counters (company_id, role_id, members)
      select company_id, role_id, count(distinct account_id)
      from (
        select new_rows.company_id, new_rows.account_id, coalesce(roles.replaced_by, roles.id) as role_id
        from new_rows join roles on roles.id = new_rows.role_id
      ) gained
      -- Selected, so that it is a look-up for each row, whatever the planner knows about these tables.
      where not (select exists (
        select from membership_roles had join roles on roles.id = had.role_id
        where had.company_id = gained.company_id and had.account_id = gained.account_id
          and coalesce(roles.replaced_by, roles.id) = gained.role_id
          and (had.account_id, had.role_id) not in (select account_id, role_id from new_rows)))
      group by company_id, role_id order by company_id, role_id
      on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
    return null;
  end if;
  if not exists (
    select from roles where replaced_by is not null and company_id in (select company_id from old_rows)
  ) then
    update role_counters set members = role_counters.members - lost.members
    from (select company_id, role_id, count(*) as members from old_rows group by company_id, role_id) lost
    where role_counters.company_id = lost.company_id and role_counters.role_id = lost.role_id;
    return null;
  end if;
  update role_counters set members = role_counters.members - lost.members
  from (
    select company_id, role_id, count(distinct account_id) as members
    from (
      select old_rows.company_id, old_rows.account_id, coalesce(roles.replaced_by, roles.id) as role_id
      from old_rows join roles on roles.id = old_rows.role_id
    ) left_rows
    where not (select exists (
      select from membership_roles has join roles on roles.id = has.role_id
      where has.company_id = left_rows.company_id and has.account_id = left_rows.account_id
        and coalesce(roles.replaced_by, roles.id) = left_rows.role_id))
    group by company_id, role_id
  ) lost
  where role_counters.company_id = lost.company_id and role_counters.role_id = lost.role_id;
  return null;
end
$$;
revoke all on function count_role_holders from public;

create or replace trigger count_inserted after insert on membership_roles referencing new table as new_rows
  for each statement execute function count_role_holders();
create or replace trigger count_deleted after delete on membership_roles referencing old table as old_rows
  for each statement execute function count_role_holders();
