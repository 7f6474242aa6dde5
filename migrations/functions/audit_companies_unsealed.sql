-- For the worker: the companies with records to seal, in order; one index look-up for each.
create or replace function audit_companies_unsealed(after uuid, companies_max integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with recursive found (company) as (
    (select company_id from audit_records
     where seq is null and company_id is not null and company_id > after order by company_id limit 1)
    union all
    select (select company_id from audit_records
      where seq is null and company_id is not null and company_id > found.company order by company_id limit 1)
    from found where found.company is not null
  )
  select company from found where company is not null limit companies_max;
end;
revoke all on function audit_companies_unsealed from public;
grant execute on function audit_companies_unsealed to tenantry_worker;
