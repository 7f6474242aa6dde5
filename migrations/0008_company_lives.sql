-- What becomes of a company after its founding: it is renamed, handed over, closed, taken back, and in the end removed.

alter table companies
  -- The name without letter case and accents, made by the service (src/lib/text.ts).
  add column name_folded text collate "C" not null default '',
  -- From then on it can't be taken back: its rows are being removed.
  add column purge_started_at timestamptz,
  add constraint only_a_deleted_company_is_purged check (purge_started_at is null or deleted_at is not null);
update companies set name_folded = lower(name);
create index companies_deleted on companies (deleted_at) where deleted_at is not null;

-- How long a deleted company can be taken back.
create function restorable_for() returns interval
language sql immutable parallel safe
return interval '30 days';

-- Every slug that a company has, or had until lately: nobody else gets it then. Kept by a trigger alone, so that no way
-- of founding or renaming a company passes it by.
create table slugs (
  slug text primary key,
  -- The company that has it, or gave it up and may take it back; null: that company is gone.
  held_by uuid references companies on delete set null,
  -- When anybody may have it; null while it is in use.
  free_at timestamptz
);
create index slugs_of_company on slugs (held_by);
create index slugs_by_end on slugs (free_at) where free_at is not null;
insert into slugs (slug, held_by) select slug, id from companies;

create function keep_slugs() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    update slugs set free_at = now() + interval '90 days' where slug = old.slug;
  end if;
  -- A company that renames itself again and again would keep names from everybody.
  if tg_op = 'UPDATE' and (select count(*) from slugs where held_by = new.id and free_at > now() and slug <> new.slug) > 10 then
    raise exception 'company % holds too many slugs', new.id
      using errcode = 'check_violation', constraint = 'slugs_of_company_are_few';
  end if;
  if tg_op <> 'DELETE' then
    insert into slugs as kept (slug, held_by) values (new.slug, new.id)
    on conflict (slug) do update set held_by = excluded.held_by, free_at = null
    where kept.held_by = excluded.held_by or kept.free_at <= now();
    if not found then
      raise exception 'slug % is reserved', new.slug
        using errcode = 'unique_violation', constraint = 'companies_slug_key';
    end if;
  end if;
  return null;
end
$$;
create trigger keep_slugs after insert or delete or update of slug on companies
  for each row execute function keep_slugs();

alter table slugs enable row level security;
create policy over on slugs to tenantry_worker using (free_at <= now());
grant select, delete on slugs to tenantry_worker;

-- The one offer that a company's ownership is under, until it is accepted, declined or revoked: the audit tells of those.
-- Whoever is detached takes it along.
create table ownership_offers (
  company_id uuid not null default current_company() references companies,
  id uuid not null unique,
  from_id uuid not null,
  to_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  constraint ownership_offers_pkey primary key (company_id),
  constraint nobody_offers_to_oneself check (from_id <> to_id),
  constraint ownership_offers_from_fkey
    foreign key (company_id, from_id) references memberships on delete cascade,
  constraint ownership_offers_to_fkey
    foreign key (company_id, to_id) references memberships on delete cascade
);
alter table ownership_offers enable row level security;
create policy own_company on ownership_offers to tenantry_tenant using (company_id = current_company());
grant select, insert, delete on ownership_offers to tenantry_tenant;

-- A company that is removed lets go of its accounts; without it each removal would read all accounts.
create index accounts_managed_by on accounts (managed_by) where managed_by is not null;

-- As before, but never by that index: with statistics from before a company made its accounts the planner would take it,
-- and read all of them for each.
create or replace function let_go_of_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set managed_by = null
  where id = old.account_id and managed_by is not distinct from old.company_id;
  return null;
end
$$;

-- What a company consists of, in the order in which it is removed: what refers to others first. A new table with a
-- company_id is one row here. `condition` picks, of the company's rows (`part`), those that may go now: children before
-- their parents, or what an index over a part of the table finds.
create table parts_of_companies (
  place integer primary key,
  name name not null,
  condition text not null default 'true'
);
insert into parts_of_companies (place, name) values
  (10, 'ownership_offers'), (20, 'memberships'), (30, 'membership_roles'), (40, 'roles'), (50, 'company_counters'),
  (90, 'audit_records');

-- The functions below are for the worker, which may read no company: they tell it ids and remove what is over.

-- From here on companies that were deleted long enough ago can't be taken back. Tells which are to be removed.
create function begin_purges(companies_max integer) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Those that were begun come last again, so that none which can't be removed keeps back the others for ever.
  return query
    update companies set purge_started_at = now()
    where id = any (array(
      select id from companies
      where deleted_at <= now() - restorable_for() or purge_started_at is not null
      order by purge_started_at nulls first, deleted_at limit companies_max for update skip locked))
    returning id;
end
$$;

-- Removes some rows of a company whose purge has begun, and in the end the company. Tells how many; 0: that was all, and
-- the company is gone; null: there is nothing to do, or another worker is at it.
create function purge_company_batch(company uuid, rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  part record;
  removed integer;
begin
  perform from companies where id = company and purge_started_at is not null for update skip locked;
  if not found then return null; end if;
  for part in select name, condition from parts_of_companies order by place loop
    execute format(
      'delete from %1$I where ctid = any (array(
         select ctid from %1$I part where company_id = $1 and (%2$s) limit $2))', part.name, part.condition)
    using company, rows_max;
    get diagnostics removed = row_count;
    if removed > 0 then return removed; end if;
  end loop;
  delete from companies where id = company;
  return 0;
end
$$;

-- As before, and: whoever is offered the ownership of a company counts as its Owner already, or who resets their password
-- could accept it.
create or replace function reset_standing(member_id uuid)
returns table (made_it boolean, member_roles jsonb, own_roles jsonb)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select
    accounts.managed_by is not distinct from memberships.company_id and companies.deleted_at is null,
    (select coalesce(jsonb_agg(jsonb_build_object('system_key', roles.system_key, 'permissions', roles.permissions)), '[]')
     from roles
     where roles.company_id = memberships.company_id and (
       roles.id in (
         select role_id from membership_roles
         where membership_roles.company_id = memberships.company_id and membership_roles.account_id = member_id)
       or roles.system_key = 'owner' and exists (
         select from ownership_offers
         where ownership_offers.company_id = memberships.company_id and ownership_offers.to_id = member_id
           and ownership_offers.expires_at > now()))),
    (select jsonb_agg(jsonb_build_object('system_key', roles.system_key, 'permissions', roles.permissions))
     from memberships own
     join membership_roles on membership_roles.company_id = own.company_id and membership_roles.account_id = own.account_id
     join roles on roles.id = membership_roles.role_id
     where own.company_id = memberships.company_id and own.account_id = current_account() and own.status = 'active'
       and not own.awaits_proof and companies.deleted_at is null)
  from memberships
  join accounts on accounts.id = memberships.account_id
  join companies on companies.id = memberships.company_id
  where memberships.account_id = member_id;
end;

revoke all on function keep_slugs, begin_purges, purge_company_batch from public;
grant execute on function begin_purges, purge_company_batch to tenantry_worker;
