-- For the worker: deletes checks of domains that count no more for the limit of their company, and returns how many.
create or replace function delete_old_domain_checks(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from domain_checks where id = any (array(
    select id from domain_checks where created_at < now() - interval '1 hour' order by created_at limit rows_max));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_old_domain_checks from public;
grant execute on function delete_old_domain_checks to tenantry_worker;
