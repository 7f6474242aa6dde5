-- The places of a company, as a tree of at most eight levels, and which members belong to which of them.

-- Each row knows its depth, and refers to its parent by id and depth: a branch stands exactly one level below its parent.
-- So no writer can close a circle, in which the depth would have to grow for ever, or go deeper than the check allows.
create table branches (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  parent_id uuid,
  depth smallint not null default 1,
  parent_depth smallint not null default 0,
  name text not null,
  code text not null default '',
  address text not null default '',
  phone text not null default '',
  timezone text not null default '',
  status text not null default 'active' check (status in ('active', 'inactive')),
  -- Made by the service (src/lib/text.ts), because what the database thinks of letter case depends on its locale.
  name_key text collate "C" not null,
  name_folded text collate "C" not null,
  code_folded text collate "C" not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint branches_key unique (company_id, id),
  constraint branches_place_key unique (company_id, id, depth),
  constraint branches_depth_check check (depth between 1 and 8),
  constraint branches_one_level_below check (parent_depth = depth - 1 and (parent_id is null) = (depth = 1)),
  constraint branches_parent_fkey
    foreign key (company_id, parent_id, parent_depth) references branches (company_id, id, depth)
);
create unique index branches_name_key on branches (company_id, name_key);
create unique index branches_code_key on branches (company_id, code_folded) where code_folded <> '';
create index branches_by_name on branches (company_id, name_folded, id);
create index branches_of_parent on branches (company_id, parent_id);

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

create policy own_company on branches to tenantry_tenant using (company_id = current_company());
create policy own_company on membership_branches to tenantry_tenant using (company_id = current_company());

grant select, insert, update, delete on branches to tenantry_tenant;
grant select, insert, delete on membership_branches to tenantry_tenant;

-- As in 0006, with the members of one branch.
drop function find_members(text, text, uuid, text, boolean, integer, bigint);
create function find_members(
  pattern text, wanted_status text, wanted_role uuid, wanted_branch uuid, sort_by text, descending boolean,
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
  found_rows text := format('from memberships m where m.company_id = $1%s%s%s%s',
    case when pattern is not null then ' and m.search like $2' end,
    case when wanted_status is not null then ' and m.status = $3' end,
    case when wanted_role is not null then
      ' and exists (select from membership_roles r
          where r.company_id = $1 and r.account_id = m.account_id and r.role_id = $4)' end,
    case when wanted_branch is not null then
      ' and exists (select from membership_branches b
          where b.company_id = $1 and b.account_id = m.account_id and b.branch_id = $7)' end);
begin
  execute format(
    'with found as materialized (select m.account_id, m.%1$I %2$s limit %3$s)
     select (select count(*) from found), (select array_agg(account_id) from (
       select account_id from found order by %4$s limit $5 offset $6) page)',
    sort_column, found_rows, gathered_max + 1, sort_order)
  into total, ids using company, pattern, wanted_status, wanted_role, page_limit, page_offset, wanted_branch;
  if total > gathered_max then
    if pattern is null and wanted_status is null and wanted_branch is null then -- The role alone: its own index knows.
      select count(*) into total from membership_roles where company_id = company and role_id = wanted_role;
    elsif pattern is null and wanted_status is null and wanted_role is null then -- And that of a branch alone.
      select count(*) into total from membership_branches where company_id = company and branch_id = wanted_branch;
    else
      execute format('select count(*) %s', found_rows)
      into total using company, pattern, wanted_status, wanted_role, page_limit, page_offset, wanted_branch;
    end if;
    execute format(
      'select array_agg(account_id) from (select m.account_id %1$s order by %2$s limit $5 offset $6) page',
      found_rows, sort_order)
    into ids using company, pattern, wanted_status, wanted_role, page_limit, page_offset, wanted_branch;
  end if;
end
$$;

revoke all on function find_members from public;
grant execute on function find_members to tenantry_tenant;

-- Branches go from below: no reference is left behind.
insert into parts_of_companies (place, name, condition) values
  (11, 'membership_branches', 'true'),
  (12, 'branches', 'not exists (select from branches child where child.company_id = part.company_id and child.parent_id = part.id)');
