-- A company that detaches a member manages the account no more, also when it links the account again later; and the account has
-- opened one company less. The condition is written so that the planner never uses the index on managed_by: with statistics
-- from before a company created its accounts it would, and read all of them for each.
create or replace function clear_managed_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts
  set managed_by = case when managed_by = old.company_id then null else managed_by end,
    opened_companies = opened_companies - (old.opened_at is not null)::integer
  where id = old.account_id and (old.opened_at is not null or managed_by is not distinct from old.company_id);
  return null;
end
$$;
revoke all on function clear_managed_account from public;

create or replace trigger clear_managed_account after delete on memberships
  for each row execute function clear_managed_account();
