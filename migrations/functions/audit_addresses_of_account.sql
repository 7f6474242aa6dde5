-- For an erasure: the addresses at which the account acted outside of companies, which may be all that still tells a former one, by
-- its next records, the newest first. `last`: of these records; null: none is left behind them.
create or replace function audit_addresses_of_account(account uuid, before uuid, records_max integer)
returns table (last uuid, addresses text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select (array_agg(id order by id desc))[records_max], coalesce(array_agg(distinct actor_email) filter (where actor_email <> ''), '{}')
  from (
    select id, actor_email from audit_records where company_id is null and actor_id = account and id < before
    order by id desc limit records_max) next;
end;
revoke all on function audit_addresses_of_account from public;
grant execute on function audit_addresses_of_account to tenantry_worker;
