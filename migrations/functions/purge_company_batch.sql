-- For the worker: deletes some rows of a company whose purge has started, and in the end the company. Returns how many rows; 0
-- when that was all and the company is deleted; null when there is nothing to do or another worker purges the company.
create or replace function purge_company_batch(company uuid, rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  step record;
  deleted integer;
begin
  perform from companies where id = company and purge_started_at is not null for update skip locked;
  if not found then return null; end if;
  for step in select table_name, condition from company_tables order by purge_order loop
    execute format(
      'delete from %1$I where ctid = any (array(
         select ctid from %1$I target where company_id = $1 and (%2$s) limit $2))', step.table_name, step.condition)
    using company, rows_max;
    get diagnostics deleted = row_count;
    if deleted > 0 then return deleted; end if;
  end loop;
  delete from companies where id = company;
  return 0;
end
$$;
revoke all on function purge_company_batch from public;
grant execute on function purge_company_batch to tenantry_worker;
