create table companies (
  id uuid primary key,
  name text not null,
  slug text not null constraint companies_slug_key unique,
  tax_id text not null,
  timezone text not null default '',
  locale text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint companies_slug_is_a_slug check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$')
);

create table roles (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  name text not null,
  description text not null default '',
  permissions text[] not null,
  -- Set for the roles that every company has; 'owner' is the one that a company can't be without.
  system_key text check (system_key in ('owner', 'admin', 'manager', 'member')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint roles_system_key_key unique (company_id, system_key)
);
create unique index roles_name_key on roles (company_id, lower(name));

create table memberships (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null references accounts,
  status text not null default 'active' check (status in ('active', 'inactive')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint memberships_pkey primary key (company_id, account_id)
);
create index memberships_of_account on memberships (account_id);

create table membership_roles (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null,
  role_id uuid not null,
  primary key (company_id, account_id, role_id),
  constraint membership_roles_membership_fkey
    foreign key (company_id, account_id) references memberships on delete cascade,
  constraint membership_roles_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id)
);
create index membership_roles_of_role on membership_roles (company_id, role_id);
create index membership_roles_of_account on membership_roles (account_id);

alter table companies enable row level security;
alter table roles enable row level security;
alter table memberships enable row level security;
alter table membership_roles enable row level security;

create policy own_company on companies to tenantry_tenant using (id = current_company());
create policy own_company on roles to tenantry_tenant using (company_id = current_company());
create policy own_company on memberships to tenantry_tenant using (company_id = current_company());
create policy own_company on membership_roles to tenantry_tenant using (company_id = current_company());

-- An account sees its own memberships, and the companies and roles that they lead to.
create policy own_account on memberships for select to tenantry_account using (account_id = current_account());
create policy own_account on membership_roles for select to tenantry_account using (account_id = current_account());
create policy own_account on companies for select to tenantry_account
  using (id in (select company_id from memberships));
create policy own_account on roles for select to tenantry_account
  using (id in (select role_id from membership_roles));

grant select, insert, update on companies to tenantry_tenant;
grant select, insert, update, delete on roles, memberships, membership_roles to tenantry_tenant;
grant select on companies, roles, memberships, membership_roles to tenantry_account;

-- A company sees the accounts of its members, and of them only what a member list shows.
alter table accounts enable row level security;
create policy everyone on accounts to tenantry_account using (true);
-- Correlated, so that it is a look-up for each row: an `in` would gather all members of the company for one of them.
create policy own_members on accounts for select to tenantry_tenant using (
  exists (select from memberships where company_id = current_company() and account_id = accounts.id));
grant select (id, email, name, phone, avatar_url, position, document_type, document_number, locale)
  on accounts to tenantry_tenant;

-- The backstop of the rule that a company has an active Owner at every moment. The rule itself, with its answer to the
-- caller, is keepAnOwner in src/; this one holds for whatever else writes. It locks the company before it counts, so
-- that two transactions which each remove "the other" Owner can't both pass.
create function company_keeps_an_owner() returns trigger
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
    where membership_roles.company_id = company and roles.system_key = 'owner' and memberships.status = 'active'
  ) then
    raise exception 'company % would be without an Owner', company
      using errcode = 'check_violation', constraint = 'company_keeps_an_owner';
  end if;
  return null;
end
$$;

revoke all on function company_keeps_an_owner from public;

-- Also when a deleted company comes back.
create constraint trigger company_keeps_an_owner after insert or update of deleted_at on companies
  deferrable initially deferred for each row execute function company_keeps_an_owner();
create constraint trigger company_keeps_an_owner after update or delete on membership_roles
  deferrable initially deferred for each row execute function company_keeps_an_owner();
create constraint trigger company_keeps_an_owner after update of status or delete on memberships
  deferrable initially deferred for each row execute function company_keeps_an_owner();
create constraint trigger company_keeps_an_owner after update of system_key or delete on roles
  deferrable initially deferred for each row execute function company_keeps_an_owner();
