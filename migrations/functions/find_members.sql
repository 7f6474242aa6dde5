-- The filtered member list of the current company: the ids of one page in order, and how many members match. Planned for these
-- very values, because a rare word wants the trigram index and a common one the index of the order; the matches are gathered
-- once, up to a limit, so that counting and sorting do not search twice. Row-level security would keep the trigram index
-- from being used at all: LIKE is not leakproof.
create or replace function find_members(
  pattern text, wanted_status text, wanted_role uuid, wanted_branch uuid, sort_by text, descending boolean,
  page_limit integer, page_offset bigint, out ids uuid[], out total bigint
)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gathered_max constant integer := 50000;
  company uuid := current_company();
  -- With the roles that the wanted one has replaced.
  wanted_roles uuid[] := array(
    select roles.id from roles
    where roles.company_id = company
      and (roles.id = wanted_role and roles.replaced_by is null or roles.replaced_by = wanted_role));
  sort_column text := case sort_by
    when 'name' then 'name_folded' when 'email' then 'email'
    when 'created_at' then 'created_at' when 'status' then 'status' end;
  sort_order text := format('%1$I %2$s, account_id %2$s', sort_column, case when descending then 'desc' else 'asc' end);
  found_rows text := format('from memberships m where m.company_id = $1%s%s%s%s',
    case when pattern is not null then ' and m.search like $2' end,
    case when wanted_status is not null then ' and m.status = $3' end,
    case when wanted_role is not null then
      ' and exists (select from membership_roles r
          where r.company_id = $1 and r.account_id = m.account_id and r.role_id = any ($4))' end,
    case when wanted_branch is not null then
      ' and exists (select from membership_branches b
          where b.company_id = $1 and b.account_id = m.account_id and b.branch_id = $7)' end);
begin
  execute format(
    'with found as materialized (select m.account_id, m.%1$I %2$s limit %3$s)
     select (select count(*) from found), (select array_agg(account_id) from (
       select account_id from found order by %4$s limit $5 offset $6) page)',
    sort_column, found_rows, gathered_max + 1, sort_order)
  into total, ids using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
  if total > gathered_max then
    if pattern is null and wanted_status is null and wanted_branch is null then -- The role alone: its index counts.
      select count(distinct account_id) into total from membership_roles
      where company_id = company and role_id = any (wanted_roles);
    elsif pattern is null and wanted_status is null and wanted_role is null then -- A branch alone, likewise.
      select count(*) into total from membership_branches where company_id = company and branch_id = wanted_branch;
    else
      execute format('select count(*) %s', found_rows)
      into total using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
    end if;
    execute format(
      'select array_agg(account_id) from (select m.account_id %1$s order by %2$s limit $5 offset $6) page',
      found_rows, sort_order)
    into ids using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
  end if;
end
$$;
revoke all on function find_members from public;
grant execute on function find_members to tenantry_tenant;
