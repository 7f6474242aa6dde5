-- The filtered member list of the current company: the ids of one page in order, and how many members match. Planned for these
-- very values, because a rare word wants the trigram index and a common one the index of the order. Row-level security would
-- keep the trigram index from being used at all: LIKE is not leakproof.
--
-- Few matches are gathered once, then counted and sorted. The page of many is looked for among the first members in order; then
-- only the total is missing, which is counted, or read from the counter of a role. Otherwise all are gathered. See
-- docs/decisions/0008-member-list.md.
create or replace function find_members(
  pattern text, wanted_status text, wanted_role uuid, wanted_branch uuid, sort_by text, descending boolean,
  page_limit integer, page_offset bigint, out ids uuid[], out total bigint
)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  company constant uuid := current_company();
  -- With the roles that the wanted one has replaced.
  wanted_roles constant uuid[] := array(
    select roles.id from roles
    where roles.company_id = company
      and (roles.id = wanted_role and roles.replaced_by is null or roles.replaced_by = wanted_role));
  holders constant bigint := (
    select members from role_counters
    where company_id = company and role_id = wanted_role and wanted_role = any (wanted_roles));
  -- Gathering many is worth while only where the trigram index finds them; else all members are looked at for each step.
  gathered_max constant integer := case when pattern ~ '[[:alnum:]]{3}' then 50000 else 5000 end;
  walked_max constant integer := 5000;
  is_role_alone constant boolean := coalesce(pattern, wanted_status, wanted_branch::text) is null;
  is_branch_alone constant boolean := coalesce(pattern, wanted_status, wanted_role::text) is null;
  sort_column constant text := case sort_by
    when 'name' then 'name_folded' when 'email' then 'email'
    when 'created_at' then 'created_at' when 'status' then 'status' end;
  sort_order constant text := format('%1$I %2$s, account_id %2$s', sort_column, case when descending then 'desc' else 'asc' end);
  of_status constant text := case when wanted_status is not null then ' and m.status = $3' else '' end;
  has_role constant text := 'exists (
    select from membership_roles r where r.company_id = $1 and r.account_id = m.account_id and r.role_id = any ($4))';
  -- With another condition on the role in place of %s.
  matches constant text := format('m.company_id = $1%s%s%s%%s',
    of_status,
    case when pattern is not null then ' and m.search like $2' end,
    case when wanted_branch is not null then
      ' and exists (select from membership_branches b
          where b.company_id = $1 and b.account_id = m.account_id and b.branch_id = $7)' end);
  all_matches constant text := format(matches, case when wanted_role is not null then ' and ' || has_role end);
  -- While few match, a role that many hold is looked up for each match: as a join the planner would read all of its holders.
  few_matches constant text := case
    when holders > gathered_max then format(matches, ' and (select ' || has_role || ')') else all_matches end;
  gathered constant text :=
    'with found as materialized (select m.account_id, m.%1$I from memberships m where %2$s limit %3$s)
     select (select count(*) from found), (select array_agg(account_id) from (
       select account_id from found order by %4$s limit $5 offset $6) page)';
begin
  if is_role_alone and holders > gathered_max then
    total := holders;
  else
    execute format(gathered, sort_column, few_matches, gathered_max + 1, sort_order)
    into total, ids using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
    if total <= gathered_max then return; end if;
  end if;

  execute format(
    'select array_agg(account_id) from (
       select account_id from (
         select m.* from memberships m where m.company_id = $1%1$s order by %2$s limit %3$s) m
       where %4$s order by %2$s limit $5 offset $6) page',
    of_status, sort_order, walked_max, few_matches)
  into ids using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
  if cardinality(ids) = page_limit then
    if is_role_alone then return; end if;
    if is_branch_alone then
      select count(*) into total from membership_branches where company_id = company and branch_id = wanted_branch;
    else
      execute format('select count(*) from memberships m where %s', all_matches)
      into total using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
    end if;
  else
    execute format(gathered, sort_column, all_matches, 'all', sort_order)
    into total, ids using company, pattern, wanted_status, wanted_roles, page_limit, page_offset, wanted_branch;
  end if;
end
$$;
revoke all on function find_members from public;
grant execute on function find_members to tenantry_tenant;
