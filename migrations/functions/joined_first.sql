-- Whether the current company is among the five that this account has opened first. What an intruder
-- creates, enters or opens in the name of the account is not: of the first ones its owner is told whatever happens elsewhere.
create or replace function joined_first(account uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select count(*) < 5 from (
    select from memberships own
    join memberships earlier on earlier.account_id = own.account_id
      and earlier.opened_at is not null
      -- The company that has created the account may be opened again: see open_company.
      and (case when earlier.created_account then earlier.created_at else earlier.opened_at end, earlier.company_id)
        < (case when own.created_account then own.created_at else own.opened_at end, own.company_id)
    where own.company_id = current_company() and own.account_id = joined_first.account
    limit 5) before;
end;
revoke all on function joined_first from public;
grant execute on function joined_first to tenantry_tenant;
