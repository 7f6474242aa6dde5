-- How the members of the current company, or its owners alone, stand to its policy, or would after this change of its columns:
-- active members who have opened it. Disabled accounts count among the owners alone, because they may be enabled again; none can pass. Of those between two ids alone, so that a caller can ask for many members in parts: `after`
-- itself is not among them, `until` is.
--
-- `closed_by`: what keeps out the session that was used last, where no live session is let in, each from its last address and with
-- the pause that the exchange of its tokens would find now; null also for members without a session. `lacks`: what no proof can
-- give: a second factor, also before the date from which it is asked for, a better password, an address at an allowed domain, verified where they
-- are asked of people who are added.
-- `can_pass`: some session of the account could be let in today. None outside of a company, like every function of company routes.
create or replace function policy_findings(
  change jsonb default '{}', only_owners boolean default false,
  after uuid default '00000000-0000-0000-0000-000000000000', until uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff'
) returns table (
  account_id uuid, is_owner boolean, can_pass boolean, closed_by text, lacks text[], last_ip text, last_active_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with policy as materialized (
    select jsonb_populate_record(companies, change) as company from companies
    where id = current_company() and deleted_at is null),
  owners as materialized (
    select membership_roles.account_id from membership_roles
    where company_id = current_company() and role_id = any (array(
        select id from roles where company_id = current_company() and system_key = 'owner'))
      and (only_owners or membership_roles.account_id > after and membership_roles.account_id <= until)
    -- One call makes owners of all members with a role: of more than 2,000 so many are judged, and those among the first members.
    limit case when only_owners then 2001 end),
  judged as (
    select account_id from owners
    union
    select oldest.account_id from (
      select memberships.account_id from memberships
      where company_id = current_company() and status = 'active' and opened_at is not null
        and (select count(*) from owners) > 2000
      order by created_at, account_id limit 5000) oldest
    where exists (
      select from membership_roles
      where company_id = current_company() and membership_roles.account_id = oldest.account_id and role_id = any (array(
        select id from roles where company_id = current_company() and system_key = 'owner')))),
  -- Of owners alone, none of the others is looked at: each change of a policy asks for them twice, under the company's lock.
  own as (
    select memberships.*, accounts.email as address, accounts.email_verified_at, accounts.has_second_factor, accounts.disabled_at,
      accounts.reset_by_link_at
    from memberships join accounts on accounts.id = memberships.account_id
    where memberships.company_id = current_company() and not only_owners
      and memberships.account_id > after and memberships.account_id <= until
    union all
    select memberships.*, accounts.email, accounts.email_verified_at, accounts.has_second_factor, accounts.disabled_at, null
    from memberships join accounts on accounts.id = memberships.account_id
    where memberships.company_id = current_company() and only_owners
      and memberships.account_id = any (array(select account_id from judged))),
  -- Of the roles of a member only those matter of which the policy asks for more.
  asked as materialized (
    select distinct membership_roles.account_id from membership_roles
    where company_id = current_company() and membership_roles.account_id > after and membership_roles.account_id <= until
      and (not only_owners or membership_roles.account_id = any (array(select account_id from judged)))
      and role_id = any (array(
      select roles.id from policy join roles
        on coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text) = any ((company).policy_factor_roles)
      where roles.company_id = current_company()))),
  members as materialized (
    select own.account_id, (only_owners or own.account_id in (select account_id from owners)) as is_owner, own.address, own.has_second_factor,
      own.email_verified_at is not null as is_verified,
      own.disabled_at is not null as is_disabled,
      case when own.account_id in (select account_id from asked) then (company).policy_factor_roles else '{}' end as grants
    from policy cross join own
    where own.status = 'active' and own.opened_at is not null and not own.awaits_verification
      -- Of the company that has created it an account opens anew what was opened before a password was chosen by a link: see open_company.
      and (not own.created_account or coalesce(own.opened_at > own.reset_by_link_at, true))
      and (own.disabled_at is null or only_owners))
  select
    members.account_id,
    members.is_owner,
    not members.is_disabled
      and not coalesce(asks_second_factor(company, members.grants, now()) and not members.has_second_factor, false),
    case when not used.is_let_in then used.code end,
    array_remove(array[
      case when asks_second_factor(company, members.grants, 'infinity') and not members.has_second_factor
        then 'second_factor' end,
      case when not used.accepts_one_password then 'password' end,
      case when domain_vouching_for(members.address) <> all ((company).policy_domains)
        or (company).policy_domains is not null and (company).policy_domains_for <> 'invitations' and not members.is_verified
        then 'domain' end], null),
    used.ip,
    used.last_active_at
  from policy
  cross join members
  -- `sessions` itself is what closed_by gets, because a row that was made here would cost more than all else: so the pause that the
  -- next exchange will find is asked here, at its place in the order of closed_by.
  left join lateral (
    select
      bool_or(judged.code is null) as is_let_in,
      bool_or(judged.accepts) as accepts_one_password,
      (array_agg(judged.code order by judged.last_used_at desc))[1] as code,
      host((array_agg(judged.address order by judged.last_used_at desc))[1]) as ip,
      max(judged.last_used_at) as last_active_at
    from (
      select live.last_used_at, live.address, live.accepts,
        case when live.is_paused and (live.code is null or live.code = 'password_too_weak_for_company')
          then 'reauthentication_required' else live.code end as code
      from (
        select sessions.last_used_at, coalesce(sessions.last_ip, sessions.ip) as address,
          accepts_password(policy.company, sessions) is not false as accepts,
          closed_by(policy.company, sessions, members.has_second_factor, members.grants, coalesce(sessions.last_ip, sessions.ip)) as code,
          now() - greatest(sessions.last_used_at, sessions.authenticated_at, sessions.second_factor_at)
            > (policy.company).policy_pause as is_paused
        from sessions
        where sessions.account_id = members.account_id and sessions.revoked_at is null and not sessions.must_change_password
          and least(sessions.refresh_expires_at, sessions.expires_at) > now()
      ) live
    ) judged
  ) used on true;
end;
revoke all on function policy_findings from public;
grant execute on function policy_findings to tenantry_tenant;
