-- The companies in which the current account is an active, verified member with a role that grants the permission, and whose policy lets
-- this session in, from this address: one that a company keeps out learns nothing of it elsewhere either. In a suspended
-- company no role grants anything. A node of 0.2.0 names no session: for it companies with a policy are closed.
-- None outside of a company, like every function of company routes: a read may arrive there before access is decided.
create or replace function companies_with_permission(permission text, session_id uuid default null, address inet default null)
returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select own.company_id
  from usable_memberships own
  join accounts on accounts.id = own.account_id
  left join sessions on sessions.id = session_id and sessions.account_id = own.account_id
  where own.account_id = current_account() and permission = any (own.grants) and not own.is_suspended
    and current_company() is not null
    and ((own.company).has_policy is not true
      or sessions.id is not null and closed_by(own.company, sessions, accounts.has_second_factor, own.grants, address) is null);
end;
revoke all on function companies_with_permission from public;
