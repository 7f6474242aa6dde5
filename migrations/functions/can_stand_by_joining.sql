-- Whether an owner who chose how people join a company by a domain still stands by it: is an active owner of it, has been a member ever
-- since, has the second factor that the policy asks for, and the account is neither disabled, as the first step of a recovery, nor
-- recovered since, from an intruder, a stranger or who was shown a password of it, nor deleted. Null: nothing was chosen in this way. Called
-- by other functions alone.
create or replace function can_stand_by_joining(company uuid, owner uuid, chosen_at timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select owner is null or exists (
    select from accounts
    join memberships on memberships.company_id = company and memberships.account_id = accounts.id
    join membership_roles held on held.company_id = company and held.account_id = accounts.id
    join roles on roles.company_id = company and roles.id = held.role_id
    where accounts.id = owner and accounts.disabled_at is null
      and coalesce(chosen_at > greatest(accounts.recovered_at, accounts.vouches_from,
        case when memberships.added_by is not null then accounts.regained_at end), true)
      and memberships.status = 'active' and memberships.created_at <= chosen_at and roles.system_key = 'owner'
      and not awaits_second_factor(company, owner));
end;
revoke all on function can_stand_by_joining from public;
