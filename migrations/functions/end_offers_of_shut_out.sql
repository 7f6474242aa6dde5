-- An offer of ownership whose sender the policy shuts out for want of a second factor can't be accepted. It ends for good with the next factor
-- that the sender adds, or at once with the last one that is removed: otherwise it would come to life again unasked. A change of the policy
-- ends it, too (store-policy.ts).
create or replace function end_offers_of_shut_out() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update ownership_offers set expires_at = least(ownership_offers.expires_at, now())
  from memberships join companies on companies.id = memberships.company_id
  where memberships.account_id = new.id and ownership_offers.company_id = memberships.company_id and from_id = new.id
    and companies.policy_factor_from is not null
    and asks_second_factor(companies, array(
      select coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text)
      from membership_roles
      join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = new.id), now());
  return null;
end
$$;
revoke all on function end_offers_of_shut_out from public;

create or replace trigger end_offers_of_shut_out after update of has_second_factor on accounts
  for each row when (new.has_second_factor is distinct from old.has_second_factor) execute function end_offers_of_shut_out();
