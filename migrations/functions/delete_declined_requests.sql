-- For the worker: deletes requests to join that were declined 30 days ago, so that their accounts can ask again, and returns how
-- many.
create or replace function delete_declined_requests(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from join_requests where id = any (array(
    select id from join_requests where declined_at < now() - interval '30 days' order by declined_at limit rows_max));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_declined_requests from public;
grant execute on function delete_declined_requests to tenantry_worker;
