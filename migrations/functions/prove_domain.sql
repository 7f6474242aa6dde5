-- The DNS has this token for a domain of the current company. The company that has verified the name until now has it no more, and every
-- other company needs a new record for a proof of its own (functions/domain_token.sql). Returns the domain of the former company, if there is
-- one. Where another company was done since the check began, the token is another one by now, and proves nothing. The lock makes companies
-- that prove one name queue up, whichever rows there are; each statement after it sees what the one before has committed.
create or replace function prove_domain(domain_id uuid, proved_token text)
returns table (company_id uuid, id uuid, name text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  wanted text;
begin
  select company_domains.name into strict wanted from company_domains
  where company_domains.id = prove_domain.domain_id and company_domains.company_id = current_company();
  perform pg_advisory_xact_lock(hashtextextended('domain ' || wanted, 0));
  update company_domains set token = proved_token
  where company_domains.id = prove_domain.domain_id and company_domains.company_id = current_company()
    and domain_token(company_domains.id, company_domains.name, company_domains.token) = proved_token;
  if not found then
    raise exception 'another company has verified the domain % meanwhile', wanted
      using errcode = 'unique_violation', constraint = 'company_domains_verified_key';
  end if;
  insert into domain_proofs as proofs (name, domain_id) values (wanted, prove_domain.domain_id)
  on conflict (name) do update set domain_id = excluded.domain_id, id = excluded.id;
  return query
    update company_domains set status = 'lapsed', check_at = null, failing_since = null
    where company_domains.name = wanted and status = 'verified' and company_domains.company_id <> current_company()
    returning company_domains.company_id, company_domains.id, company_domains.name;
end
$$;
revoke all on function prove_domain from public;
grant execute on function prove_domain to tenantry_tenant;
