create table companies (
  id uuid primary key,
  name text not null,
  -- The name without letter case and accents, computed by the service (src/lib/text.ts).
  name_folded text collate "C" not null default '',
  slug text not null constraint companies_slug_key unique,
  tax_id text not null,
  timezone text not null default '',
  locale text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A deleted company can be restored until its purge starts.
  deleted_at timestamptz,
  purge_started_at timestamptz,
  -- An operator has suspended the company: its members can only leave it, until an operator resumes it.
  suspended_at timestamptz,
  constraint companies_slug_format_check check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint companies_purge_started_at_check check (purge_started_at is null or deleted_at is not null)
);
create index companies_deleted on companies (deleted_at) where deleted_at is not null;

alter table companies enable row level security;
create policy own_company on companies to tenantry_tenant using (id = (select current_company()));
grant select, insert, update on companies to tenantry_tenant;
grant select on companies to tenantry_account;

-- Every slug that a company uses or used recently; no other company gets such a slug. Only the trigger of
-- functions/reserve_slug.sql writes here, so every way to create or rename a company obeys the reservations.
create table slugs (
  slug text primary key,
  -- The company that uses the slug, or used it and may take it back; null: that company is purged.
  reserved_for uuid references companies on delete set null,
  -- The end of the reservation; null while the slug is in use.
  reserved_until timestamptz
);
create index slugs_of_company on slugs (reserved_for);
create index slugs_by_reserved_until on slugs (reserved_until) where reserved_until is not null;

alter table slugs enable row level security;
create policy expired on slugs to tenantry_worker using (reserved_until <= now());
grant select, delete on slugs to tenantry_worker;

-- The tables that hold rows of a company, in the order in which purge_company_batch deletes those rows: a table that refers
-- to another one comes first. A new table with a company_id gets a row here. `condition` picks those of the company's rows
-- (`target`) that may be deleted now: children before their parents, or the rows of a partial index. Roles of members come
-- before memberships, so that the counters are adjusted once for each batch and not once for each member.
create table company_tables (
  purge_order integer primary key,
  table_name name not null,
  condition text not null default 'true'
);
insert into company_tables (purge_order, table_name, condition) values
  (10, 'ownership_offers', 'true'),
  (11, 'membership_branches', 'true'),
  (12, 'branches', 'not exists (
    select from branches child where child.company_id = target.company_id and child.parent_id = target.id)'),
  (15, 'membership_roles', 'true'),
  (20, 'memberships', 'true'),
  (35, 'role_counters', 'true'),
  (40, 'roles', 'true'),
  (50, 'company_counters', 'true'),
  (90, 'audit_records', 'seq is null'),
  (91, 'audit_records', 'seq is not null'),
  (92, 'audit_checkpoints', 'true'),
  (93, 'audit_heads', 'true'),
  (94, 'audit_settings', 'true');
