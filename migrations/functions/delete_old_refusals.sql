-- For the worker: deletes refused attempts of no company, such as failed sign-ins, after 90 days, and returns how many. Any
-- stranger can cause such records; the worker may read and change no other audit record.
create or replace function delete_old_refusals(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from audit_records where id = any (array(
    select id from audit_records
    where company_id is null and outcome <> 'done' and created_at < now() - interval '90 days'
    order by created_at limit rows_max));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_old_refusals from public;
grant execute on function delete_old_refusals to tenantry_worker;
