-- The sealed records between two positions of the current company's chain, as the caller's own rights allow. Always by their
-- index: a table that grows faster than its statistics tempts the planner to read or sort all of it.
create or replace function audit_records_between(after bigint, up_to bigint) returns setof audit_records
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select * from audit_records where company_id = current_company() and seq > after and seq <= up_to
  order by company_id, seq
$$;
revoke all on function audit_records_between from public;
grant execute on function audit_records_between to tenantry_tenant;
