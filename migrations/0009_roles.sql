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

-- With the members in it, so that whoever holds two roles is found by the index alone.
drop index membership_roles_of_role;
create index membership_roles_of_role on membership_roles (company_id, role_id, account_id);

-- As before, but for who loses or exchanges a role that is not Owner there is nothing to ask: a hundred thousand members
-- may do so at once.
create or replace function company_keeps_an_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  company uuid := case when tg_table_name = 'companies' then to_jsonb(new) ->> 'id' else to_jsonb(old) ->> 'company_id' end;
begin
  if tg_table_name = 'membership_roles' then
    perform from roles where id = old.role_id and system_key is distinct from 'owner';
    if found then return null; end if;
  end if;
  perform from companies where id = company and deleted_at is null for update;
  if found and not exists (
    select
    from membership_roles
    join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
    join memberships on memberships.company_id = membership_roles.company_id
      and memberships.account_id = membership_roles.account_id
    where membership_roles.company_id = company and roles.system_key = 'owner'
      and memberships.status = 'active' and not memberships.awaits_proof
  ) then
    raise exception 'company % would be without an Owner', company
      using errcode = 'check_violation', constraint = 'company_keeps_an_owner';
  end if;
  return null;
end
$$;

-- Who holds what goes before who belongs, so that the counters are kept once for each batch and not for each row.
insert into parts_of_companies (place, name) values (35, 'role_counters');
update parts_of_companies set place = 15 where name = 'membership_roles';
