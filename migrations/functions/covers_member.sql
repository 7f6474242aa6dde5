-- Whether a member of a company lacks nothing of what another one holds there, as `covers` decides it: an owner lacks nothing, and being
-- an owner is something to hold. Who is offered the ownership, by an owner whom the policy does not shut out, counts as
-- an owner. Called by other functions alone.
create or replace function covers_member(company uuid, holder uuid, member uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select coalesce(bool_or(of_holder and system_key = 'owner'), false)
    or not coalesce(bool_or(not of_holder and system_key = 'owner'), false)
      and not exists (
        select from ownership_offers where company_id = company and to_id = member and expires_at > now()
          and not awaits_second_factor(company, from_id))
      and coalesce(array_agg(permission) filter (where not of_holder and permission is not null), '{}')
        <@ coalesce(array_agg(permission) filter (where of_holder and permission is not null), '{}')
  from (
    select membership_roles.account_id = holder as of_holder, roles.system_key, permission
    from membership_roles
    join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
    left join lateral unnest(roles.permissions) as permission on true
    where membership_roles.company_id = company and membership_roles.account_id in (holder, member)) held;
end;
revoke all on function covers_member from public;
