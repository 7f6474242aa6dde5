-- Who was an owner of the current company within the last 7 days and may be none any more, to be told of its deletion: also members no more, of
-- whom the company sees nothing else, and those whose account an operator has disabled since. Who has been a member
-- for longest first, so that no one who was made an owner for that takes their place. Of disabled ones not all are looked for where thousands are
-- owners: the company is locked meanwhile.
create or replace function find_former_owners(owners_max integer)
returns table (id uuid, email text, name text, locale text, is_verified boolean, is_joined_first boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.id, accounts.email, accounts.name, accounts.locale, accounts.email_verified_at is not null,
    -- As joined_first; of a membership that has ended, by when it began.
    (select count(*) < 5 from (
      select from memberships earlier
      where earlier.account_id = accounts.id and earlier.company_id <> current_company() and earlier.opened_at is not null
        and case when earlier.created_account then earlier.created_at else earlier.opened_at end < coalesce(
          (select case when own.created_account then own.created_at else own.opened_at end
           from memberships own where own.company_id = current_company() and own.account_id = accounts.id),
          min(ended.member_since))
      limit 5) before)
  from (
    select former_owners.account_id, former_owners.member_since from former_owners
    where former_owners.company_id = current_company() and former_owners.ended_at > now() - interval '7 days'
    union all
    select held.account_id, memberships.created_at
    from (
      select distinct membership_roles.account_id from membership_roles
      where company_id = current_company() and role_id = any (array(
        select roles.id from roles where company_id = current_company() and system_key = 'owner'))
      limit 2000) held
    join memberships on memberships.company_id = current_company() and memberships.account_id = held.account_id
    join accounts disabled on disabled.id = held.account_id
    where memberships.status = 'active' and memberships.opened_at is not null and disabled.disabled_at is not null) ended
  join accounts on accounts.id = ended.account_id
  where (accounts.disabled_at is null and not exists (
      select from memberships again
      join membership_roles on membership_roles.company_id = again.company_id and membership_roles.account_id = again.account_id
      join roles on roles.company_id = again.company_id and roles.id = membership_roles.role_id
      where again.company_id = current_company() and again.account_id = accounts.id and again.status = 'active'
        and again.opened_at is not null and roles.system_key = 'owner'))
    or accounts.disabled_at > now() - interval '7 days'
  group by accounts.id
  order by min(ended.member_since)
  limit owners_max;
end;
revoke all on function find_former_owners from public;
grant execute on function find_former_owners to tenantry_tenant;
