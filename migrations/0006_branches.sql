-- The branches of a company: a tree of at most eight levels, kept by the trigger of functions/check_branch_tree.sql.
-- A branch knows its parent and nothing else of the tree, so that a move writes one row however many branches are below.
create table branches (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  parent_id uuid,
  name text not null,
  code text not null default '',
  address text not null default '',
  phone text not null default '',
  timezone text not null default '',
  status text not null default 'active' check (status in ('active', 'inactive')),
  -- Computed by the service (src/lib/text.ts), because letter case in the database depends on its locale.
  name_key text collate "C" not null,
  name_folded text collate "C" not null,
  code_folded text collate "C" not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint branches_parent_fkey
    foreign key (company_id, parent_id) references branches (company_id, id)
);
create unique index branches_name_key on branches (company_id, name_key);
create unique index branches_code_key on branches (company_id, code_folded) where code_folded <> '';
create index branches_by_name on branches (company_id, name_folded, id);
create index branches_of_parent on branches (company_id, parent_id);

-- Which members belong to which branches.
create table membership_branches (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null,
  branch_id uuid not null,
  primary key (company_id, account_id, branch_id),
  constraint membership_branches_membership_fkey
    foreign key (company_id, account_id) references memberships on delete cascade,
  constraint membership_branches_branch_fkey
    foreign key (company_id, branch_id) references branches (company_id, id)
);
create index membership_branches_of_branch on membership_branches (company_id, branch_id, account_id);

alter table branches enable row level security;
alter table membership_branches enable row level security;
create policy own_company on branches to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on membership_branches to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update, delete on branches to tenantry_tenant;
grant select, insert, delete on membership_branches to tenantry_tenant;
