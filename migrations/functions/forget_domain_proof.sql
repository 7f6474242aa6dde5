-- When the last company has deleted the name of a domain, tokens to come are new anyway.
create or replace function forget_domain_proof() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from domain_proofs where name = old.name and not exists (select from company_domains where name = old.name);
  return null;
end
$$;
revoke all on function forget_domain_proof from public;

create or replace trigger forget_domain_proof after delete on company_domains
  for each row execute function forget_domain_proof();
