-- By which methods an account can prove its second factor; empty where it has none.
create or replace function factor_methods(account uuid) returns text[]
language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
  select array(
      select distinct kind from second_factors where account_id = account and confirmed_at is not null order by kind)
    || array(select 'recovery_code' where exists (select from recovery_codes where account_id = account and used_at is null));
end;
revoke all on function factor_methods from public;
grant execute on function factor_methods to tenantry_account;
