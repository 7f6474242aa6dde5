create table roles (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  name text not null,
  description text not null default '',
  -- Computed by the service (src/lib/text.ts): the name, and the name with the description, without letter case and
  -- accents. The database's own `lower` depends on its locale.
  name_folded text collate "C" not null,
  search text collate "C" not null default '',
  -- What the name looks like (src/lib/confusables.ts): without letter case, and as it was written. A company has no two
  -- roles whose names look alike. Null: not computed yet; computed when the company next names a role.
  name_skeleton text collate "C",
  name_shape text collate "C",
  permissions text[] not null,
  -- Set for the roles that every company has; 'owner' is the role that at least one active member holds.
  system_key text check (system_key in ('owner', 'admin', 'manager', 'member')),
  -- Set for a deleted role whose members have got this other one. Such a replaced role is hidden, and its row gives exactly
  -- what the other one gives, until a worker has exchanged the roles of all its members. See
  -- docs/decisions/0028-replaced-roles.md.
  replaced_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint roles_replaced_by_check check (replaced_by <> id),
  constraint roles_replaced_by_fkey
    foreign key (company_id, replaced_by) references roles (company_id, id) on delete cascade
);
create unique index roles_system_key_key on roles (company_id, system_key) where replaced_by is null;
create unique index roles_name_key on roles (company_id, name_folded) where replaced_by is null;
create unique index roles_skeleton_key on roles (company_id, name_skeleton) where replaced_by is null;
create unique index roles_shape_key on roles (company_id, name_shape) where replaced_by is null;
create index roles_replaced on roles (company_id, replaced_by) where replaced_by is not null;

alter table roles enable row level security;
create policy own_company on roles to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update, delete on roles to tenantry_tenant;
grant select on roles to tenantry_account;

-- How many members hold a role, directly or by one that it replaced: counting a million rows for each page would take longer
-- than the page. Only functions/count_role_holders.sql, count_replaced_members.sql and replace_role.sql write here, so that every
-- change of membership_roles counts, cascades included.
-- Every change of a member's roles holds the company's lock, so these rows cause no further waiting.
create table role_counters (
  company_id uuid not null default current_company(),
  role_id uuid not null,
  members bigint not null check (members >= 0),
  primary key (company_id, role_id),
  constraint role_counters_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id) on delete cascade
);

alter table role_counters enable row level security;
create policy own_company on role_counters to tenantry_tenant using (company_id = (select current_company()));
grant select on role_counters to tenantry_tenant;
