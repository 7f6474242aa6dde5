-- For an erasure: the addresses at which the account acted outside of companies, which may be all that still tells a former one.
create or replace function audit_addresses_of_account(account uuid) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct actor_email from audit_records where company_id is null and actor_id = account and actor_email <> '';
end;
revoke all on function audit_addresses_of_account from public;
grant execute on function audit_addresses_of_account to tenantry_worker;
