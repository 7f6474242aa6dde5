-- Whether how people join by a domain of the current company still counts: not where the account of the owner who last chose it was
-- recovered from an intruder since, or is disabled, as the first step of a recovery. That account may have left the company by
-- then, or been removed from it for that very reason. Nor where it was deleted: nothing tells any more what it was.
create or replace function is_joining_stood_by(domain_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select not exists (
    select from company_domains left join accounts on accounts.id = company_domains.approved_by
    where company_domains.id = domain_id and company_domains.company_id = current_company()
      and company_domains.approved_by is not null
      and (accounts.id is null or company_domains.approved_at <= accounts.recovered_at or accounts.disabled_at is not null));
end;
revoke all on function is_joining_stood_by from public;
grant execute on function is_joining_stood_by to tenantry_tenant;
