-- The last position of a batch of the current company's chain: the one before the first record that is too much, when the
-- changes of those before it have bytes_max bytes together.
create or replace function audit_batch_end(after bigint, up_to bigint, bytes_max bigint) returns bigint
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select coalesce(min(seq) - 1, up_to) from (
    select seq, sum(octet_length(changes::text)) over (
      order by company_id, seq rows between unbounded preceding and 1 preceding) as bytes_before
    from audit_records where company_id = current_company() and seq > after and seq <= up_to
  ) positions where bytes_before >= bytes_max
$$;
revoke all on function audit_batch_end from public;
grant execute on function audit_batch_end to tenantry_tenant;
