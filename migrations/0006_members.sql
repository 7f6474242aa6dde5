-- What a company writes about its members, which no other company sees, and what its member list needs to be flat.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- `name_folded` is the name without letter case and accents, made by the service (src/lib/text.ts).
alter table accounts
  add column name_folded text collate "C" not null default '',
  -- The company whose member add made this account; null for whoever signed up.
  add column managed_by uuid references companies on delete set null,
  -- A temporary password is the only one that it has.
  add column must_change_password boolean not null default false;

-- `mailed`: using it proves the address. `secret_id`: what a mailed one is derived from when the letter leaves.
alter table passwords
  add column mailed boolean not null default false,
  add column secret_id uuid unique;

-- Empty phone and so on: the account's own value shows.
alter table memberships
  add column phone text not null default '',
  add column position text not null default '',
  add column document_type text not null default '',
  add column document_number text not null default '',
  -- The company opens for this member only once the account's address is proven; false from then on.
  add column awaits_proof boolean not null default false,
  -- Copies of the account's, kept by triggers, so that a company's list is sorted and searched by its own indexes.
  add column name_folded text collate "C" not null default '',
  add column email text collate "C" not null default '',
  add column search text collate "C" not null default '';

create index memberships_by_name on memberships (company_id, name_folded, account_id);
create index memberships_by_email on memberships (company_id, email, account_id);
create index memberships_by_created_at on memberships (company_id, created_at, account_id);
create index memberships_by_status on memberships (company_id, status, account_id);
create index memberships_search on memberships using gin (company_id, search gin_trgm_ops);

create function copy_account_into_membership() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- The lock makes a change of the account that is under way wait, or this one: nothing is copied that is already old.
  select accounts.name_folded, accounts.email, accounts.name_folded || ' ' || accounts.email,
    new.awaits_proof and accounts.email_verified_at is null
  into new.name_folded, new.email, new.search, new.awaits_proof
  from accounts where accounts.id = new.account_id for share;
  return new;
end
$$;
create trigger copy_account before insert on memberships
  for each row execute function copy_account_into_membership();

create function copy_account_into_memberships() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update memberships
  set name_folded = new.name_folded, email = new.email, search = new.name_folded || ' ' || new.email,
    awaits_proof = awaits_proof and new.email_verified_at is null
  where account_id = new.id;
  return null;
end
$$;
create trigger copy_account after update of name_folded, email, email_verified_at on accounts
  for each row when (
    old.name_folded <> new.name_folded or old.email <> new.email
    or old.email_verified_at is distinct from new.email_verified_at)
  execute function copy_account_into_memberships();

-- A company that lets go of an account no longer manages it, also when it links it again.
create function let_go_of_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set managed_by = null where id = old.account_id and managed_by = old.company_id;
  return null;
end
$$;
create trigger let_go_of_account after delete on memberships
  for each row execute function let_go_of_account();

update accounts set name_folded = lower(name);
update memberships set (name_folded, email, search) =
  (select name_folded, email, name_folded || ' ' || email from accounts where id = account_id);

-- An Owner to whom the company is not open yet keeps nothing.
create or replace function company_keeps_an_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  company uuid := case when tg_table_name = 'companies' then to_jsonb(new) ->> 'id' else to_jsonb(old) ->> 'company_id' end;
begin
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

-- How many members a company has: counting a million rows for each page would take longer than the page.
create table company_counters (
  company_id uuid primary key default current_company() references companies on delete cascade,
  active_members bigint not null default 0 check (active_members >= 0),
  inactive_members bigint not null default 0 check (inactive_members >= 0)
);
alter table company_counters enable row level security;
create policy own_company on company_counters to tenantry_tenant using (company_id = current_company());
insert into company_counters (company_id, active_members, inactive_members)
  select companies.id,
    count(*) filter (where memberships.status = 'active'), count(*) filter (where memberships.status = 'inactive')
  from companies left join memberships on memberships.company_id = companies.id group by companies.id;

grant select, insert, update on company_counters to tenantry_tenant;
grant select (must_change_password) on accounts to tenantry_tenant;
grant select (secret_id, expires_at) on passwords to tenantry_worker;

-- An account sees those of its memberships that are open to it.
drop policy own_account on memberships;
create policy own_account on memberships for select to tenantry_account using (
  account_id = current_account() and status = 'active' and not awaits_proof);

-- The functions below read across companies, or past row-level security; each returns only what its comment says.

-- The filtered member list of the current company: the ids of one page in order, and how many match. A plan for these
-- very values, because a rare word wants the trigram index and a common one the index of the order; what is found is
-- gathered once, up to a bound, so that counting and sorting do not search twice. Row-level security would keep the
-- trigram index from being used at all: LIKE is not leakproof.
create function find_members(
  pattern text, wanted_status text, wanted_role uuid, sort_by text, descending boolean,
  page_limit integer, page_offset bigint, out ids uuid[], out total bigint
)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gathered_max constant integer := 50000;
  company uuid := current_setting('app.company_id')::uuid;
  sort_column text := case sort_by
    when 'name' then 'name_folded' when 'email' then 'email'
    when 'created_at' then 'created_at' when 'status' then 'status' end;
  sort_order text := format('%1$I %2$s, account_id %2$s', sort_column, case when descending then 'desc' else 'asc' end);
  found_rows text := format('from memberships m where m.company_id = $1%s%s%s',
    case when pattern is not null then ' and m.search like $2' end,
    case when wanted_status is not null then ' and m.status = $3' end,
    case when wanted_role is not null then
      ' and exists (select from membership_roles r
          where r.company_id = $1 and r.account_id = m.account_id and r.role_id = $4)' end);
begin
  execute format(
    'with found as materialized (select m.account_id, m.%1$I %2$s limit %3$s)
     select (select count(*) from found), (select array_agg(account_id) from (
       select account_id from found order by %4$s limit $5 offset $6) page)',
    sort_column, found_rows, gathered_max + 1, sort_order)
  into total, ids using company, pattern, wanted_status, wanted_role, page_limit, page_offset;
  if total > gathered_max then
    if pattern is null and wanted_status is null then -- The role alone: its own index knows.
      select count(*) into total from membership_roles where company_id = company and role_id = wanted_role;
    else
      execute format('select count(*) %s', found_rows)
      into total using company, pattern, wanted_status, wanted_role;
    end if;
    execute format(
      'select array_agg(account_id) from (select m.account_id %1$s order by %2$s limit $5 offset $6) page',
      found_rows, sort_order)
    into ids using company, pattern, wanted_status, wanted_role, page_limit, page_offset;
  end if;
end
$$;

-- The account with this id or this address, for linking it: what the letter to it needs, and nothing of its profile.
create function find_account(wanted_id uuid, wanted_email text)
returns table (id uuid, email text, name text, locale text, is_proven boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.id, accounts.email, accounts.name, accounts.locale, accounts.email_verified_at is not null
  from accounts where accounts.id = wanted_id or accounts.email = wanted_email;
end;

-- The companies in which the current account is an active member whose roles give the permission.
create function companies_where_allowed(permission text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct memberships.company_id
  from memberships
  join companies on companies.id = memberships.company_id and companies.deleted_at is null
  join membership_roles on membership_roles.company_id = memberships.company_id
    and membership_roles.account_id = memberships.account_id
  join roles on roles.id = membership_roles.role_id
  where memberships.account_id = current_account() and memberships.status = 'active' and not memberships.awaits_proof
    and permission = any (roles.permissions);
end;

-- Accounts that the current account can see, members of companies where it has users:read, by a fragment of name or
-- address; and whoever has exactly this address.
create function search_accounts(pattern text, exact_email text, found_max integer)
returns table (id uuid, name text, email text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select accounts.id, accounts.name, accounts.email from accounts
    where accounts.id in (
      select hit.account_id
      from companies_where_allowed('users:read') as seen (company_id)
      cross join lateral (
        -- Gathered before it is sorted: else the planner may walk a whole company in the order of names.
        with found as materialized (
          select m.account_id, m.name_folded from memberships m
          where m.company_id = seen.company_id and m.search like pattern limit 10000)
        select found.account_id from found order by found.name_folded, found.account_id limit found_max
      ) hit
      union
      select other.id from accounts other where other.email = exact_email
    )
    order by accounts.email <> exact_email, accounts.name_folded, accounts.id limit found_max;
end
$$;

-- The companies of an account in which the current account has users:read, with the account's roles there.
create function companies_of_member(member_id uuid)
returns table (id uuid, name text, slug text, roles text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select companies.id, companies.name, companies.slug, array(
    select roles.name from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = companies.id and membership_roles.account_id = member_id
    order by roles.name)
  from memberships
  join companies on companies.id = memberships.company_id
  where memberships.account_id = member_id
    and companies.id in (select companies_where_allowed('users:read'))
  order by companies.name, companies.id;
end;

-- For resetting a password, which opens every company of an account: for each, what the account and what the current
-- account hold there (null: it is no active member, or the company is deleted, which may be taken back), and whether the
-- company made the account.
create function reset_standing(member_id uuid)
returns table (made_it boolean, member_roles jsonb, own_roles jsonb)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select
    accounts.managed_by is not distinct from memberships.company_id and companies.deleted_at is null,
    (select coalesce(jsonb_agg(jsonb_build_object('system_key', roles.system_key, 'permissions', roles.permissions)), '[]')
     from membership_roles join roles on roles.id = membership_roles.role_id
     where membership_roles.company_id = memberships.company_id and membership_roles.account_id = member_id),
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

revoke all on function copy_account_into_membership, copy_account_into_memberships, let_go_of_account, find_members, find_account,
  companies_where_allowed, search_accounts, companies_of_member, reset_standing from public;
grant execute on function find_members, find_account, search_accounts, companies_of_member, reset_standing
  to tenantry_tenant;
