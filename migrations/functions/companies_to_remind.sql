-- For the worker: the next companies whose members without a second factor are to be reminded now, behind this place in their order.
create or replace function companies_to_remind(after_time timestamptz, after_id uuid, companies_max integer)
returns table (id uuid, remind_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select companies.id, policy_remind_at from companies
  where policy_remind_at <= now() and policy_remind_at >= after_time and (policy_remind_at, companies.id) > (after_time, after_id)
    and deleted_at is null and suspended_at is null
  order by policy_remind_at, companies.id limit companies_max;
end;
revoke all on function companies_to_remind from public;
grant execute on function companies_to_remind to tenantry_worker;
