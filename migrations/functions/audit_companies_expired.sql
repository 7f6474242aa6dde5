-- For the worker: the next companies with a retention, in order, and whether the oldest sealed record of each is older than it. A
-- bounded number is looked at, because in most companies nothing has expired.
create or replace function audit_companies_expired(after uuid, companies_max integer)
returns table (company_id uuid, is_expired boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select next.company_id, (select exists (
    select from audit_heads
    join audit_records on audit_records.company_id = audit_heads.company_id and audit_records.seq = audit_heads.begins_seq + 1
    where audit_heads.company_id = next.company_id
      and audit_records.created_at < now() - make_interval(days => next.retention_days)))
  from (
    select audit_settings.company_id, retention_days from audit_settings
    where audit_settings.company_id > after and retention_days is not null
    order by audit_settings.company_id limit companies_max) next
  order by next.company_id;
end;
revoke all on function audit_companies_expired from public;
grant execute on function audit_companies_expired to tenantry_worker;
