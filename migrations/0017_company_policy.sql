-- expand: new columns with defaults, and a view with two more columns. A node of 0.2.0 knows no policy, so the view shows it no
-- company that has one: there every request of such a node is refused.
-- Under which circumstances a company may be entered: docs/decisions/0048-company-policy.md. What is not set admits everything.
alter table companies
  -- One of the next columns that shut the door is set: a request in another company costs the test of this column alone.
  add column has_policy boolean not null default false,
  -- From when on members need a second factor; null: never.
  add column policy_factor_from timestamptz,
  -- Which ones, by the keys of system roles and the ids of others; null: all.
  add column policy_factor_roles text[],
  -- How old the last proof of a session may be, and how long a session may pause until it proves again.
  add column policy_age interval,
  add column policy_pause interval,
  -- The networks that members may come from.
  add column policy_networks cidr[],
  -- What the password of a session may be worth (sessions.password_class).
  add column policy_passwords smallint[],

  -- These shut no door. How old the last proof may be at a change.
  add column policy_step_up interval,
  -- The domains that the addresses of new members may have, and which members are new ones.
  add column policy_domains text[],
  add column policy_domains_for text not null default 'invitations',

  -- When those who lack a second factor are to be reminded next; null: never. The members up to `policy_reminded_to` have got
  -- the emails of the round that began at `policy_reminded_at`.
  add column policy_remind_at timestamptz,
  add column policy_reminded_at timestamptz,
  add column policy_reminded_to uuid,

  add constraint companies_has_policy_check check (has_policy = (num_nonnulls(
    policy_factor_from, policy_age, policy_pause, policy_networks, policy_passwords) > 0)),
  add constraint companies_policy_factor_check check (policy_factor_roles is null or policy_factor_from is not null),
  -- An empty list would shut the door to everybody, or say the same as none.
  add constraint companies_policy_lists_check check (
    policy_networks <> '{}' and policy_passwords <> '{}' and policy_factor_roles <> '{}' and policy_domains <> '{}'),
  add constraint companies_policy_domains_for_check check (
    policy_domains_for in ('invitations', 'invitations_and_additions'));
create index companies_to_remind on companies (policy_remind_at) where policy_remind_at is not null;

alter table sessions
  -- The longest time between two exchanges of its refresh token since its last proof.
  add column longest_pause interval not null default '0',
  -- Where the last exchange came from; null: there was none, or a node of 0.2.0 made it.
  add column last_ip inet;

-- The definition of access, in the place of open_memberships. What the roles give is one column, `grants`, because each column with a
-- subquery costs every request a fifth of its time: permissions, and the keys of system roles and the ids of others.
create view usable_memberships with (security_invoker = true) as
  select memberships.company_id, memberships.account_id, memberships.opened_at, memberships.created_account,
    memberships.created_at, companies.name as company_name, companies.slug as company_slug,
    companies.suspended_at is not null as is_suspended,
    array(
      select distinct on (roles.name) json_build_array(roles.name, roles.permissions)
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by roles.name) as roles,
    array(
      select distinct unnest(roles.permissions || coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text))
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by 1) as grants,
    -- For closed_by.
    companies as company
  from memberships join companies on companies.id = memberships.company_id
  where memberships.status = 'active' and not memberships.awaits_verification and companies.deleted_at is null;
grant select on usable_memberships to tenantry_tenant, tenantry_account;

-- For nodes of 0.2.0 alone, as it was but for the last condition.
create or replace view open_memberships with (security_invoker = true) as
  select memberships.company_id, memberships.account_id, memberships.opened_at, memberships.created_account,
    memberships.created_at, companies.name as company_name, companies.slug as company_slug,
    companies.suspended_at is not null as is_suspended,
    array(
      select distinct on (roles.name) json_build_array(roles.name, roles.permissions)
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by roles.name) as roles,
    array(
      select distinct unnest(roles.permissions) from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
      order by 1) as permissions,
    exists (
      select from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
        and roles.system_key = 'owner') as is_owner
  from memberships join companies on companies.id = memberships.company_id
  where memberships.status = 'active' and not memberships.awaits_verification and companies.deleted_at is null
    and not companies.has_policy;
