-- For an erasure: the next companies with an audit log, in order, and whether a sealed record of these actions, or about these
-- kinds of things, names one of the addresses, or one by an actor without an account does.
create or replace function audit_companies_mentioning(
  addresses text[], actions text[], target_types text[], after uuid, companies_max integer
)
returns table (company_id uuid, is_mentioned boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select next.company_id,
    exists (
      select from audit_records
      where audit_records.company_id = next.company_id and action = any (actions) and seq is not null
        and audit_address_appears(target_label, changes, addresses))
    or exists (
      select from audit_records
      where audit_records.company_id = next.company_id and target_type = any (target_types) and seq is not null
        and audit_address_appears(target_label, changes, addresses))
    or exists (
      select from audit_records
      where audit_records.company_id = next.company_id and actor_id is null and seq is not null
        and lower(actor_email) = any (addresses))
  from (
    select audit_heads.company_id from audit_heads where audit_heads.company_id > after
    order by audit_heads.company_id limit companies_max) next
  order by next.company_id;
end;
revoke all on function audit_companies_mentioning from public;
grant execute on function audit_companies_mentioning to tenantry_worker;
