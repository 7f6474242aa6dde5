-- For the worker: companies whose members without a second factor are to be reminded now.
create or replace function companies_to_remind(companies_max integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select id from companies
  where policy_remind_at <= now() and deleted_at is null and suspended_at is null
  order by policy_remind_at limit companies_max;
end;
revoke all on function companies_to_remind from public;
grant execute on function companies_to_remind to tenantry_worker;
