-- A membership counts once the account has opened the company, and a proof of an address counts for that address alone.
-- Why: docs/decisions/0024-opened-memberships.md.

alter table memberships
  -- When the account first came in: by founding the company, or by its first request that passed the membership check.
  -- Until then the membership is only what the company says.
  add column opened_at timestamptz,
  -- Who added the member; null for a founder.
  add column added_by uuid references accounts,
  -- The company made the account and manages it: a copy of accounts.managed_by, which no company may read.
  add column made_account boolean not null default false;
update memberships set opened_at = created_at where not awaits_proof;
update memberships set made_account = true from accounts where accounts.id = account_id and managed_by = company_id;
alter table memberships
  add constraint an_opened_membership_awaits_no_proof check (opened_at is null or not awaits_proof);
create index memberships_awaiting_proof on memberships (account_id) where awaits_proof;

alter table accounts
  -- An administrator has seen a password of this account, and no mailed secret has proven its address since.
  add column password_shown_at timestamptz,
  -- How many companies the account has opened. Kept by triggers, so that a member list can tell at no cost which members
  -- belong to nobody else.
  add column opened_companies integer not null default 0 check (opened_companies >= 0),
  add constraint a_shown_password_leaves_no_proof check (password_shown_at is null or email_verified_at is null);
update accounts set opened_companies = opened.companies
from (select account_id, count(*) as companies from memberships where opened_at is not null group by account_id) opened
where opened.account_id = accounts.id;
grant select (opened_companies) on accounts to tenantry_tenant;

-- As before, and: a password that was shown leaves every membership unproven that is not opened yet, but the one in the
-- company that manages the account, which gains nothing by it.
create or replace function copy_account_into_membership() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A founder's account is counted behind this (count_opened_company). Two that share the lock first and then want it
  -- alone would wait for each other.
  if new.opened_at is not null then
    perform from accounts where id = new.account_id for no key update;
  end if;
  -- The lock makes a change of the account that is under way wait, or this one: nothing is copied that is already old.
  select accounts.name_folded, accounts.email, accounts.name_folded || ' ' || accounts.email,
    new.opened_at is null and (
      new.awaits_proof and accounts.email_verified_at is null
      or accounts.password_shown_at is not null and accounts.managed_by is distinct from new.company_id),
    accounts.managed_by is not distinct from new.company_id
  into new.name_folded, new.email, new.search, new.awaits_proof, new.made_account
  from accounts where accounts.id = new.account_id for share;
  return new;
end
$$;

-- A change of address ends the memberships that await proof of the address before (src/features/members/unverified-memberships.ts). One
-- that was added meanwhile makes the transaction begin anew, and is ended then.
create or replace function copy_account_into_memberships() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.email <> old.email and exists (select from memberships where account_id = new.id and awaits_proof) then
    raise exception 'account % has memberships that await proof of its former address', new.id
      using errcode = 'serialization_failure';
  end if;
  update memberships
  set name_folded = new.name_folded, email = new.email, search = new.name_folded || ' ' || new.email,
    awaits_proof = opened_at is null and new.email_verified_at is null and (
      awaits_proof or new.password_shown_at is not null and not made_account)
  where account_id = new.id;
  return null;
end
$$;
drop trigger copy_account on accounts;
create trigger copy_account after update of name_folded, email, email_verified_at, password_shown_at on accounts
  for each row when (
    old.name_folded <> new.name_folded or old.email <> new.email
    or old.email_verified_at is distinct from new.email_verified_at
    or old.password_shown_at is distinct from new.password_shown_at)
  execute function copy_account_into_memberships();

create function count_opened_company() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set opened_companies = opened_companies + 1 where id = new.account_id;
  return null;
end
$$;
create trigger count_opened after insert on memberships
  for each row when (new.opened_at is not null) execute function count_opened_company();
create trigger count_newly_opened after update of opened_at on memberships
  for each row when (old.opened_at is null and new.opened_at is not null) execute function count_opened_company();

-- As before, and the account has opened one company less.
create or replace function let_go_of_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts
  set managed_by = case when managed_by = old.company_id then null else managed_by end,
    opened_companies = opened_companies - (old.opened_at is not null)::integer
  where id = old.account_id and (old.opened_at is not null or managed_by is not distinct from old.company_id);
  return null;
end
$$;

-- An Owner who has not opened the company keeps nothing: nobody asked them.
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
      and memberships.status = 'active' and memberships.opened_at is not null
  ) then
    raise exception 'company % would be without an Owner', company
      using errcode = 'check_violation', constraint = 'company_keeps_an_owner';
  end if;
  return null;
end
$$;

-- For the access check: opens the company for the current account, if it may come in. False: it may not.
create function open_company(company uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Before the membership, as every change of an account does: a password that is being shown comes before or after.
  perform from accounts where id = current_account() for no key update;
  update memberships set opened_at = now()
  where company_id = company and account_id = current_account()
    and opened_at is null and status = 'active' and not awaits_proof;
  return exists (
    select from memberships
    where company_id = company and account_id = current_account() and status = 'active' and opened_at is not null);
end
$$;

-- Whether the current account belongs to a company, also as an inactive or unproven member: for leaving it.
create function belongs_to_company(company uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (
    select from memberships join companies on companies.id = memberships.company_id
    where memberships.company_id = company and memberships.account_id = current_account() and companies.deleted_at is null);
end;

-- The companies whose membership of the current account awaits proof of its address.
create function unproven_companies() returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select company_id from memberships where account_id = current_account() and awaits_proof order by company_id;
end;

-- Locks the account of a member of the current company, ahead of the membership: what changes an account has its row
-- before its memberships.
create function lock_account_of_member(member_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from accounts
  where id = member_id
    and exists (select from memberships where company_id = current_company() and account_id = member_id)
  for no key update;
end
$$;

-- As before, but the account is held: its address is still the wanted one when it is linked.
create or replace function find_account(wanted_id uuid, wanted_email text)
returns table (id uuid, email text, name text, locale text, is_proven boolean)
language sql volatile security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.id, accounts.email, accounts.name, accounts.locale, accounts.email_verified_at is not null
  from accounts where accounts.id = wanted_id or accounts.email = wanted_email for share;
end;

-- As before, but what companies show that the current account has opened comes first: nobody who adds an account to a
-- company full of people crowds out those whom it knows.
create or replace function search_accounts(pattern text, exact_email text, found_max integer)
returns table (id uuid, name text, email text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select accounts.id, accounts.name, accounts.email
    from (
      select seen_accounts.account_id, bool_or(seen_accounts.is_known) as is_known
      from (
        select hit.account_id, own.opened_at is not null as is_known
        from companies_where_allowed('users:read') as seen (company_id)
        join memberships own on own.company_id = seen.company_id and own.account_id = current_account()
        cross join lateral (
          -- Gathered before it is sorted: else the planner may walk a whole company in the order of names.
          with found as materialized (
            select m.account_id, m.name_folded from memberships m
            where m.company_id = seen.company_id and m.search like pattern limit 10000)
          select found.account_id from found order by found.name_folded, found.account_id limit found_max
        ) hit
        union all
        select other.id, true from accounts other where other.email = exact_email
      ) seen_accounts
      group by seen_accounts.account_id
    ) hits
    join accounts on accounts.id = hits.account_id
    order by accounts.email <> exact_email, not hits.is_known, accounts.name_folded, accounts.id limit found_max;
end
$$;

-- As before, but a company that the account has not opened is none of its companies, except the one that made it; and the
-- current company has to be that one: any other has merely linked the account.
create or replace function reset_standing(member_id uuid)
returns table (made_it boolean, member_roles jsonb, own_roles jsonb)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select
    memberships.made_account and memberships.company_id = current_company() and companies.deleted_at is null,
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
  where memberships.account_id = member_id
    and (memberships.opened_at is not null or memberships.company_id = accounts.managed_by);
end;

revoke all on function count_opened_company, open_company, belongs_to_company, unproven_companies, lock_account_of_member
  from public;
grant execute on function open_company, belongs_to_company, unproven_companies to tenantry_account;
grant execute on function lock_account_of_member to tenantry_tenant;
