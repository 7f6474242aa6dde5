-- Whether how people join by a domain of the current company still counts. A function, because a company sees no account that is no member.
create or replace function is_joining_stood_by(domain_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select not exists (
    select from company_domains
    where company_domains.id = domain_id and company_domains.company_id = current_company()
      and not can_stand_by_joining(company_id, approved_by, approved_at));
end;
revoke all on function is_joining_stood_by from public;
grant execute on function is_joining_stood_by to tenantry_tenant;
