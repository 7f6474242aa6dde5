-- expand: domains of companies and how people join by them; new tables and triggers, which the version before does not need.
-- Memberships that it ends are remembered like those of this version, because a trigger writes former_members.

-- Domains that a company has added. Several companies may add one name; at most one of them has verified it, and the latest
-- proof decides which. See docs/decisions/0050-domains.md.
create table company_domains (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  -- Lower case, ASCII; an international name as its A-labels (xn--…).
  name text collate "C" not null,
  -- What the company publishes in the DNS. No secret; but random, so that a record proves this company and no other.
  token text not null default replace(gen_random_uuid()::text, '-', ''),
  status text not null default 'pending' check (status in ('pending', 'verified', 'lapsed')),
  verified_at timestamptz,
  -- When the DNS was last asked, and what it said.
  checked_at timestamptz,
  check_result text check (check_result in ('found', 'missing', 'different', 'unanswered')),
  -- Since when every check of a verified domain has failed.
  failing_since timestamptz,
  -- When a worker checks a verified domain again. While one does, the end of its claim.
  check_at timestamptz,
  -- What people with an address at the domain may do: nothing, ask to join, join.
  join_policy text not null default 'none' check (join_policy in ('none', 'request', 'auto')),
  -- What the roles of people who join gave when an owner chose them.
  approved_permissions text[] not null default '{}',
  created_at timestamptz not null default now(),
  unique (company_id, id),
  constraint company_domains_name_format_check check (name = lower(name) and length(name) <= 243),
  constraint company_domains_verified_check check (status <> 'verified' or (verified_at is not null and check_at is not null))
);
create unique index company_domains_name_key on company_domains (company_id, name);
create unique index company_domains_verified_key on company_domains (name) where status = 'verified';
create index company_domains_due on company_domains (check_at) where status = 'verified';

-- The roles of people who join by a domain; without one they get Member.
create table company_domain_roles (
  company_id uuid not null default current_company(),
  domain_id uuid not null,
  role_id uuid not null,
  primary key (company_id, domain_id, role_id),
  constraint company_domain_roles_domain_fkey
    foreign key (company_id, domain_id) references company_domains (company_id, id) on delete cascade,
  constraint company_domain_roles_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id) on delete cascade
);
create index company_domain_roles_of_role on company_domain_roles (company_id, role_id);

-- Checks that members have asked for within the hour, for their limit. Those of workers are not in it.
create table domain_checks (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  created_at timestamptz not null default clock_timestamp()
);
create index domain_checks_of_company on domain_checks (company_id, created_at);
create index domain_checks_by_age on domain_checks (created_at);

-- People who ask to join. A row ends with the membership, however that begins (functions/end_join_request.sql), and with the
-- verification of the address (functions/end_join_requests_of_account.sql): it is for one address.
create table join_requests (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Copies, because a company may read no account that is not its member.
  email text collate "C" not null,
  name text not null,
  -- Of this domain, which may be gone by now.
  domain_id uuid,
  created_at timestamptz not null default now(),
  -- A declined request stays for a while, in which its account can't ask again.
  declined_at timestamptz,
  constraint join_requests_account_key unique (company_id, account_id),
  constraint join_requests_domain_fkey
    foreign key (company_id, domain_id) references company_domains (company_id, id) on delete set null (domain_id)
);
create index join_requests_of_account on join_requests (account_id);
create index join_requests_of_domain on join_requests (company_id, domain_id);
create index join_requests_declined on join_requests (declined_at) where declined_at is not null;
create index join_requests_by_created_at on join_requests (company_id, created_at, id) where declined_at is null;
create index join_requests_by_email on join_requests (company_id, email, id) where declined_at is null;

-- Accounts that were members before: they come back only when the company decides so, never by themselves. Written by the
-- triggers of functions/remember_former_member.sql and functions/end_join_request.sql alone.
create table former_members (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null references accounts on delete cascade,
  -- By the clock and not by the transaction's beginning, because it is compared with the time of invitations.
  left_at timestamptz not null default clock_timestamp(),
  primary key (company_id, account_id)
);
create index former_members_of_account on former_members (account_id);

alter table company_domains enable row level security;
alter table company_domain_roles enable row level security;
alter table domain_checks enable row level security;
alter table join_requests enable row level security;
alter table former_members enable row level security;
create policy own_company on company_domains to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on company_domain_roles to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on domain_checks to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on join_requests to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on former_members to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update, delete on company_domains, join_requests to tenantry_tenant;
grant select, insert, delete on company_domain_roles to tenantry_tenant;
grant select, insert on domain_checks to tenantry_tenant;
grant select on former_members to tenantry_tenant;

insert into company_tables (purge_order, table_name, condition) values
  (1, 'join_requests', 'true'),
  (2, 'former_members', 'true'),
  (3, 'company_domain_roles', 'true'),
  (4, 'company_domains', 'true'),
  (5, 'domain_checks', 'true');
