-- Roles that a company makes for itself: names that can't be taken for one another, and how many members hold each.

-- Both made by the service (src/lib/text.ts): the name and the name with its description, without letter case and accents,
-- as names of members are kept. The database's own `lower` depends on its locale.
alter table roles
  add column name_folded text collate "C",
  add column search text collate "C" not null default '';
update roles set name_folded = lower(name), search = lower(name || ' ' || description);
alter table roles alter column name_folded set not null;

drop index roles_name_key;
create unique index roles_name_key on roles (company_id, name_folded);

-- How many members hold a role: counting a million rows for each look at the list would take longer than the list. Kept
-- by triggers, so that every writer of membership_roles is counted, cascades included. Whoever changes roles of members
-- holds the company's lock, so nobody waits here who did not wait before.
create table role_counters (
  company_id uuid not null default current_company(),
  role_id uuid not null,
  members bigint not null check (members >= 0),
  primary key (company_id, role_id),
  constraint role_counters_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id) on delete cascade
);
alter table role_counters enable row level security;
create policy own_company on role_counters to tenantry_tenant using (company_id = current_company());
grant select on role_counters to tenantry_tenant;

insert into role_counters (company_id, role_id, members)
  select company_id, role_id, count(*) from membership_roles group by company_id, role_id;

create function count_role_holders() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'DELETE' then
    insert into role_counters (company_id, role_id, members)
      select company_id, role_id, count(*) from begun group by company_id, role_id order by company_id, role_id
      on conflict (company_id, role_id) do update set members = role_counters.members + excluded.members;
  end if;
  if tg_op <> 'INSERT' then
    update role_counters set members = role_counters.members - gone.members
    from (select company_id, role_id, count(*) as members from ended group by company_id, role_id) gone
    where role_counters.company_id = gone.company_id and role_counters.role_id = gone.role_id;
  end if;
  return null;
end
$$;
revoke all on function count_role_holders from public;

create trigger count_begun after insert on membership_roles referencing new table as begun
  for each statement execute function count_role_holders();
create trigger count_ended after delete on membership_roles referencing old table as ended
  for each statement execute function count_role_holders();
create trigger count_changed after update on membership_roles referencing old table as ended new table as begun
  for each statement execute function count_role_holders();
