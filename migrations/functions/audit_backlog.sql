-- For metrics: how many records wait for the sealer and since when the oldest of them, both among so many records at most. The
-- order is that of an index, so that nothing else is read.
create or replace function audit_backlog(records_max integer) returns table (records bigint, oldest timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select count(*), min(waiting.created_at) from (
    select audit_records.created_at from audit_records
    where audit_records.seq is null and audit_records.company_id is not null
    order by audit_records.company_id, audit_records.created_at limit records_max
  ) waiting;
end;
revoke all on function audit_backlog from public;
grant execute on function audit_backlog to tenantry_worker;
