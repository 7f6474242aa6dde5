-- For the worker: the companies whose oldest sealed record is older than their retention, in order.
create or replace function audit_companies_expired(after uuid, companies_max integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select audit_settings.company_id from audit_settings
  join audit_heads on audit_heads.company_id = audit_settings.company_id
  join audit_records on audit_records.company_id = audit_heads.company_id and audit_records.seq = audit_heads.begins_seq + 1
  where audit_settings.company_id > after and audit_records.created_at < now() - make_interval(days => retention_days)
  order by audit_settings.company_id limit companies_max;
end;
revoke all on function audit_companies_expired from public;
grant execute on function audit_companies_expired to tenantry_worker;
