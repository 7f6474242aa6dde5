-- For the worker: verified domains whose check is due, claimed for some minutes, so that one node checks each of them. A worker
-- that dies meanwhile leaves them to the next one.
create or replace function claim_due_domains(domains_max integer)
returns table (company_id uuid, id uuid, name text, token text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
    update company_domains set check_at = now() + interval '10 minutes'
    where company_domains.id = any (array(
      select due.id from company_domains due join companies on companies.id = due.company_id
      where due.status = 'verified' and due.check_at <= now() and companies.deleted_at is null
      order by due.check_at limit domains_max for update of due skip locked))
    returning company_domains.company_id, company_domains.id, company_domains.name, company_domains.token;
end
$$;
revoke all on function claim_due_domains from public;
grant execute on function claim_due_domains to tenantry_worker;
