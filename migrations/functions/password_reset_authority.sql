-- For resetting a password, which gives access to every company of the account: for each of these companies, the roles of the
-- account and what the current account holds there in this session (null: it has no access, the policy keeps the session out, or the
-- company is deleted or suspended), and whether this is the current company and it created the account. Not where the reader of its mailbox has
-- chosen a password by a link and has not opened the company since: anyone can create an account for the address of another person, who would never get
-- out of that company, because each reset ends the session in which they would leave.
--
-- An account that is offered the ownership counts as Owner, because a reset of its password would let the caller accept it, unless the
-- policy shuts out who offers it. A company that the account has not opened does not count, except the one that manages the account.
-- More than 50 are too many to look at under locks: 51 rows say so, and that the current account holds nothing in any of them, because a node
-- of 0.2.0 does not count them.
create or replace function password_reset_authority(member_id uuid, session_id uuid default null, address inet default null)
returns table (company_id uuid, created_it boolean, member_roles jsonb, own_permissions text[], own_is_owner boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select
    memberships.company_id,
    memberships.created_account and memberships.is_held and memberships.company_id = current_company() and companies.deleted_at is null,
    (select coalesce(jsonb_agg(jsonb_build_object('system_key', roles.system_key, 'permissions', roles.permissions)), '[]')
     from roles
     where roles.company_id = memberships.company_id and (
       -- An array, so that indexes find these few roles among all of the company.
       roles.id = any (array(
         select role_id from membership_roles
         where membership_roles.company_id = memberships.company_id and membership_roles.account_id = member_id))
       or roles.system_key = 'owner' and exists (
         select from ownership_offers
         where ownership_offers.company_id = memberships.company_id and ownership_offers.to_id = member_id
           and ownership_offers.expires_at > now()
           and not awaits_second_factor(ownership_offers.company_id, ownership_offers.from_id)))),
    case when memberships.count <= 50 then own.grants end,
    memberships.count <= 50 and 'owner' = any (own.grants)
  from (
    select few.*, count(*) over () as count from (
      select held.company_id, held.account_id, held.created_account,
        accounts.reset_by_link_at is null or coalesce(held.opened_at > accounts.reset_by_link_at, false) as is_held
      from memberships held join accounts on accounts.id = held.account_id
      where held.account_id = member_id and current_company() is not null
        and (held.opened_at is not null or held.company_id = accounts.managed_by)
      limit 51) few) memberships
  join companies on companies.id = memberships.company_id
  left join accounts caller on caller.id = current_account()
  left join sessions on sessions.id = session_id and sessions.account_id = caller.id
  left join usable_memberships own on own.company_id = memberships.company_id and own.account_id = caller.id
    and not own.is_suspended
    and ((own.company).has_policy is not true
      or sessions.id is not null and closed_by(own.company, sessions, caller.has_second_factor, own.grants, address) is null);
end;
revoke all on function password_reset_authority from public;
grant execute on function password_reset_authority to tenantry_tenant;
