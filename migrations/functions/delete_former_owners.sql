-- For the worker: forgets owners of more than 7 days ago, and returns how many.
create or replace function delete_former_owners(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from former_owners using (
    select company_id, account_id from former_owners
    where ended_at < now() - interval '7 days' order by ended_at limit rows_max) old
  where former_owners.company_id = old.company_id and former_owners.account_id = old.account_id
    and former_owners.ended_at < now() - interval '7 days';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_former_owners from public;
grant execute on function delete_former_owners to tenantry_worker;
