-- The pending requests of the current account to join companies, with the names of those that can still decide.
create or replace function own_join_requests()
returns table (id uuid, company_id uuid, company_name text, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select join_requests.id, companies.id, companies.name, join_requests.created_at
  from join_requests join companies on companies.id = join_requests.company_id
  where join_requests.account_id = current_account() and join_requests.declined_at is null
    and companies.deleted_at is null and companies.suspended_at is null
  order by join_requests.created_at, join_requests.id;
end;
revoke all on function own_join_requests from public;
grant execute on function own_join_requests to tenantry_account;
