-- Which accounts belong to which companies, and what a company writes about its members; no other company sees it.
create table memberships (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null references accounts,
  status text not null default 'active' check (status in ('active', 'inactive')),
  -- Empty: the account's own value shows.
  phone text not null default '',
  position text not null default '',
  document_type text not null default '',
  document_number text not null default '',
  -- True while the account must verify its address before the company opens; false from then on.
  awaits_verification boolean not null default false,
  -- When the account opened the company: by creating it, or by its first request that passed the membership check. Until
  -- then the membership is only what the company says. See docs/decisions/0024-opened-memberships.md.
  opened_at timestamptz,
  -- The account that added the member; null for the member who created the company.
  added_by uuid references accounts,
  -- The company created the account and manages it: a copy of accounts.managed_by, which no company may read.
  created_account boolean not null default false,
  -- Copies of the account's values, kept by the triggers of functions/sync_membership_from_account.sql and
  -- functions/sync_memberships_from_account.sql, so that a company's list is sorted and searched by its own indexes.
  name_folded text collate "C" not null default '',
  email text collate "C" not null default '',
  search text collate "C" not null default '',
  -- More copies, of what the member list shows, so that a page of it reads no accounts. A company sees only the name and the
  -- address of an account that has not opened it: until then the others are empty, except for the account that it created.
  name text not null default '',
  account_phone text not null default '',
  account_position text not null default '',
  avatar_url text,
  must_change_password boolean not null default false,
  -- The company created the account, and the account has opened no other company.
  managed boolean not null default false,
  password_shown boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint memberships_pkey primary key (company_id, account_id),
  constraint memberships_opened_at_check check (opened_at is null or not awaits_verification)
);
create index memberships_of_account on memberships (account_id);
create index memberships_awaiting_verification on memberships (account_id) where awaits_verification;
create index memberships_by_name on memberships (company_id, name_folded, account_id);
create index memberships_by_email on memberships (company_id, email, account_id);
create index memberships_by_created_at on memberships (company_id, created_at, account_id);
create index memberships_by_status on memberships (company_id, status, account_id);
create index memberships_by_status_and_name on memberships (company_id, status, name_folded, account_id);
create index memberships_by_status_and_email on memberships (company_id, status, email, account_id);
create index memberships_by_status_and_created_at on memberships (company_id, status, created_at, account_id);
create index memberships_search on memberships using gin (company_id, search gin_trgm_ops);

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
-- Includes the account, so that the index alone finds the members who hold two roles.
create index membership_roles_of_role on membership_roles (company_id, role_id, account_id);
create index membership_roles_of_account on membership_roles (account_id);

-- How many members a company has: counting a million rows for each page would take longer than the page.
create table company_counters (
  company_id uuid primary key default current_company() references companies on delete cascade,
  active_members bigint not null default 0 check (active_members >= 0),
  inactive_members bigint not null default 0 check (inactive_members >= 0)
);

alter table memberships enable row level security;
alter table membership_roles enable row level security;
alter table company_counters enable row level security;
create policy own_company on memberships to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on membership_roles to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on company_counters to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update, delete on memberships to tenantry_tenant;
-- A member's role is exchanged by inserting the one and deleting the other: an update would not be counted.
grant select, insert, delete on membership_roles to tenantry_tenant;
grant select, insert, update on company_counters to tenantry_tenant;

-- An account sees its active, verified memberships, and the companies and roles of those memberships. The subqueries are
-- correlated to be a look-up for each row.
create policy own_account on memberships for select to tenantry_account using (
  account_id = (select current_account()) and status = 'active' and not awaits_verification);
create policy own_account on membership_roles for select to tenantry_account using (account_id = (select current_account()));
create policy own_account on companies for select to tenantry_account
  using (exists (select from memberships where company_id = companies.id and account_id = (select current_account())));
create policy own_account on roles for select to tenantry_account
  using (exists (
    select from membership_roles
    where company_id = roles.company_id and role_id = roles.id and account_id = (select current_account())));
grant select on memberships, membership_roles to tenantry_account;

-- A company sees the accounts of its members, and only the columns that a member list shows. The subquery is correlated
-- to be a look-up for each row: `in` would gather all members of the company for a single account. So would `exists` where
-- companies have few members on average, and take a second in one of a million; `offset 0` keeps the planner from that.
create policy own_members on accounts for select to tenantry_tenant using (
  exists (select from memberships where company_id = (select current_company()) and account_id = accounts.id offset 0));
grant select (id, email, name, phone, avatar_url, position, document_type, document_number, locale, must_change_password,
  password_shown_at, opened_companies, disabled_at) on accounts to tenantry_tenant;
