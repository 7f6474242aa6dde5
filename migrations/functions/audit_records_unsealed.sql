-- The next records of the current company to seal, as the caller's own rights allow: at most records_max, and none after those
-- whose changes have bytes_max bytes together. Always by their index: a table that grows faster than its statistics tempts the
-- planner to read or sort all of it.
create or replace function audit_records_unsealed(records_max integer, bytes_max bigint) returns setof audit_records
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select (unsealed.record).* from (
    select audit_records as record, sum(octet_length(changes::text)) over (
      order by company_id, created_at, id rows between unbounded preceding and 1 preceding) as bytes_before
    from audit_records where company_id = current_company() and seq is null
    order by company_id, created_at, id limit records_max
  ) unsealed where bytes_before is null or bytes_before < bytes_max
$$;
revoke all on function audit_records_unsealed from public;
grant execute on function audit_records_unsealed to tenantry_tenant;
