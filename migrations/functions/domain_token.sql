-- The token that a domain of the current company is proved by, from the one in its row: another one after each proof of the name by another
-- company, because records of before may have stayed in a zone that their companies no longer control.
create or replace function domain_token(domain_id uuid, domain_name text, own_token text) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select coalesce((
    select left(encode(sha256(convert_to(own_token || proofs.id::text, 'UTF8')), 'hex'), 32)
    from domain_proofs proofs
    where proofs.name = domain_name and proofs.domain_id <> domain_token.domain_id), own_token);
end;
revoke all on function domain_token from public;
grant execute on function domain_token to tenantry_tenant;
