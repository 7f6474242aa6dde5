-- Keeps the branches of a company a tree of at most eight levels, whatever writes them. The lock makes writers wait for each
-- other that would not see each other's moves; the service holds it already. Each search upward and downward ends, also in a
-- circle.
create or replace function check_branch_tree() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  levels_max constant integer := 8;
  depth integer;
  is_circle boolean;
  levels_below integer := 0;
begin
  perform from companies where id = new.company_id for no key update;

  with recursive upward as (
    select new.parent_id as id, 1 as level
    union all
    select branches.parent_id, level + 1
    from upward join branches on branches.company_id = new.company_id and branches.id = upward.id
    where level <= levels_max)
  select max(level), bool_or(id is not distinct from new.id) into depth, is_circle from upward;
  if is_circle then
    raise exception 'branch % would be below itself', new.id
      using errcode = 'check_violation', constraint = 'branches_cycle_check', table = 'branches';
  end if;

  -- A new branch has no children, and at the top there is room for every tree.
  if tg_op = 'UPDATE' and new.parent_id is not null then
    with recursive downward as (
      select new.id, 0 as level
      union all
      select branches.id, level + 1
      from downward join branches on branches.company_id = new.company_id and branches.parent_id = downward.id
      where level <= levels_max)
    select max(level) into levels_below from downward;
  end if;
  if depth + levels_below > levels_max then
    raise exception 'branch % would be too deep, or what is below it', new.id
      using errcode = 'check_violation', constraint = 'branches_depth_check', table = 'branches';
  end if;
  return null;
end
$$;
revoke all on function check_branch_tree from public;

create or replace trigger check_branch_tree after insert or update of parent_id on branches
  for each row execute function check_branch_tree();
