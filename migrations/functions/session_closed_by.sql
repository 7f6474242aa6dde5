-- What the policy of the current company has against a session of the current account, or would have after this change of the
-- company's columns: for writes, which ask under the company's lock, for changes of the policy, and for the restoration of a
-- deleted company.
create or replace function session_closed_by(session_id uuid, address inet, change jsonb default '{}') returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select closed_by(
    case when change = '{}' then companies else jsonb_populate_record(companies, change) end,
    sessions, accounts.has_second_factor,
    array(
      select coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text)
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = companies.id and membership_roles.account_id = accounts.id),
    address)
  from sessions
  join accounts on accounts.id = sessions.account_id
  join companies on companies.id = current_company()
  where sessions.id = session_id and sessions.account_id = current_account();
end;
revoke all on function session_closed_by from public;
grant execute on function session_closed_by to tenantry_tenant;
