-- Before the current company verifies one of its domains: the company that has verified the name until now has it no more, and it and
-- every other company that has added the name need new records for a proof, because old ones may have stayed in a zone that their
-- companies no longer control. Returns the domain of the former company, if there is one. A proof counts from the moment its check
-- began, so a check that began before the other company was done proves nothing newer. The lock makes companies that verify one name
-- queue up, whichever rows there are.
create or replace function lapse_domain_elsewhere(domain_id uuid, check_id uuid)
returns table (company_id uuid, id uuid, name text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  wanted text;
  checked_since timestamptz;
begin
  select company_domains.name into strict wanted from company_domains
  where company_domains.id = domain_id and company_domains.company_id = current_company();
  select created_at into strict checked_since from domain_checks
  where domain_checks.id = check_id and domain_checks.company_id = current_company();
  perform pg_advisory_xact_lock(hashtextextended('domain ' || wanted, 0));
  if exists (
    select from company_domains
    where company_domains.name = wanted and status = 'verified' and company_domains.company_id <> current_company()
      and verified_at >= checked_since
  ) then
    raise exception 'another company has verified the domain % meanwhile', wanted
      using errcode = 'unique_violation', constraint = 'company_domains_verified_key';
  end if;
  update company_domains set token = default
  where company_domains.name = wanted and status <> 'verified' and company_domains.company_id <> current_company();
  return query
    update company_domains
    set status = 'lapsed', token = default, check_at = null, failing_since = null
    where company_domains.name = wanted and status = 'verified' and company_domains.company_id <> current_company()
    returning company_domains.company_id, company_domains.id, company_domains.name;
end
$$;
revoke all on function lapse_domain_elsewhere from public;
grant execute on function lapse_domain_elsewhere to tenantry_tenant;
