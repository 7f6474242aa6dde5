-- Whether the policy of a company asks a member with these grants (usable_memberships) for a second factor at a moment. Part of
-- closed_by, and like it without `set search_path`.
create or replace function asks_second_factor(company companies, grants text[], moment timestamptz) returns boolean
language sql immutable parallel safe
return (company).policy_factor_from <= moment and coalesce(grants && (company).policy_factor_roles, true);
revoke all on function asks_second_factor from public;
grant execute on function asks_second_factor to tenantry_account, tenantry_tenant;
