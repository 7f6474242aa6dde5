-- What keeps a session, from an address, out of a company that has a policy: the code of the problem, or null when nothing does.
-- The only place where a policy is applied: each request, each write under its lock, the dry run and the compliance list ask it.
-- Columns of the policy that are null ask for nothing, because every comparison with them is null.
--
-- `grants`: of usable_memberships. It has no `set search_path`, so that the planner writes it into the statement that calls it; names are resolved here and now.
create or replace function closed_by(
  company companies, session sessions, has_second_factor boolean, grants text[], address inet
) returns text
language sql stable parallel safe
return case
  when (company).has_policy is not true then null
  when not address <<= any ((company).policy_networks) then 'network_not_allowed'
  when asks_second_factor(company, grants, now()) and not (has_second_factor and (session).second_factor_at is not null)
    then 'second_factor_required_by_company'
  -- An account with a second factor proves that one, any other its password.
  when coalesce(case when has_second_factor then (session).second_factor_at else (session).authenticated_at end, '-infinity')
      <= now() - (company).policy_age
    or (session).longest_pause > (company).policy_pause then 'reauthentication_required'
  when not accepts_password(company, session) then 'password_too_weak_for_company'
end;
revoke all on function closed_by from public;
grant execute on function closed_by to tenantry_account, tenantry_tenant;
