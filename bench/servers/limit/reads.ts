// One statement for each read. $1 is the account, $2 the session, $3 the company. They give ready JSON text where
// PostgreSQL writes it as the service does, without spaces.

const moment = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What the roles of a membership `m` give. */
const held = `
  select array_agg(distinct roles.name) as names, array_agg(distinct permission) as permissions,
    bool_or(roles.system_key = 'owner') as is_owner
  from membership_roles join roles on roles.id = membership_roles.role_id, unnest(roles.permissions) as permission
  where membership_roles.company_id = m.company_id and membership_roles.account_id = m.account_id`

/** The companies that an account can use. `account` is a SQL expression. */
const companiesOf = (account: string) => `
  select companies.id, companies.name, companies.slug, held.names, held.permissions, m.created_at
  from memberships m join companies on companies.id = m.company_id cross join lateral (${held}) as held
  where m.account_id = ${account} and m.status = 'active' and not m.awaits_verification and companies.deleted_at is null`

/** One row: the user, and by company what the account holds there. `source` gives `account_id` and `must_change_password`. */
export const contextOf = (source: string) => `
  select row_to_json(shown)::text as user,
    (select coalesce(string_agg(format('{"id":"%s","name":%s,"slug":"%s"}', id, to_json(name), slug), ',' order by created_at, id), '') from own) as tenants,
    (select coalesce(string_agg(format('"%s":%s', id, array_to_json(permissions)), ',' order by created_at, id), '') from own) as permissions,
    (select coalesce(string_agg(format('"%s":%s', id, array_to_json(names)), ',' order by created_at, id), '') from own) as roles
  from (
    select accounts.id, email, name, phone, avatar_url, position, document_type, document_number, timezone, locale,
      email_verified_at is not null as email_verified, source.must_change_password,
      ${moment('accounts.created_at')} as created_at
    from (${source}) as source join accounts on accounts.id = source.account_id) as shown`

const liveSession = `
  select account_id, must_change_password from sessions
  where id = $2 and account_id = $1 and revoked_at is null and expires_at > now()`

export const me = {
  name: 'me',
  text: `with own as materialized (${companiesOf('$1')}) ${contextOf(liveSession)}`,
}

export const ownCompanies = companiesOf

/** No row: no session. No permissions: no membership. */
export const access = `
  select own.permissions, own.is_owner, accounts.name, accounts.email
  from sessions join accounts on accounts.id = sessions.account_id
  left join lateral (
    select held.permissions, held.is_owner from memberships m
    join companies on companies.id = m.company_id cross join lateral (${held}) as held
    where m.company_id = $3 and m.account_id = sessions.account_id
      and m.status = 'active' and not m.awaits_verification and m.opened_at is not null and companies.deleted_at is null
  ) as own on true
  where sessions.id = $2 and sessions.account_id = $1
    and sessions.revoked_at is null and sessions.expires_at > now() and not sessions.must_change_password`

export const companyAccess = { name: 'access', text: access }

/** A member as the API shows it. `page` gives the rows of memberships. */
export const memberColumns = `
  accounts.id, accounts.name, accounts.email, held.names as roles, held.ids as "roleIds", m.status,
  case when m.phone = '' and m.opened_at is not null then accounts.phone else m.phone end as phone,
  case when m.position = '' and m.opened_at is not null then accounts.position else m.position end as position,
  case when m.opened_at is not null then accounts.avatar_url end as avatar_url,
  accounts.must_change_password and (m.opened_at is not null or m.created_account) as must_change_password,
  m.created_account and accounts.opened_companies = (m.opened_at is not null)::integer as managed,
  m.created_account and accounts.password_shown_at is not null as password_shown,
  array(select branch_id from membership_branches b
    where b.company_id = m.company_id and b.account_id = m.account_id order by branch_id) as "branchIds",
  ${moment('m.created_at')} as created_at`

export const memberTables = `
  join accounts on accounts.id = m.account_id
  cross join lateral (
    select array_agg(roles.name order by roles.name, roles.id) as names, array_agg(roles.id order by roles.name, roles.id) as ids
    from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = m.company_id and membership_roles.account_id = m.account_id) as held`

const listOf = (found: string, page: string, total: string) => `
  with access as materialized (${access})${found}
  select permissions, is_owner, (${total})::integer as total, array_to_json(array(
    select row_to_json(shown) from (select ${memberColumns} from (${page}) as m ${memberTables}
      order by m.name_folded, m.account_id) as shown))::text as items
  from access where 'users:read' = any(permissions)`

/** $4 is the offset. */
export const members = {
  name: 'members',
  text: listOf(
    '',
    `select * from memberships where company_id = $3 order by name_folded, account_id limit 20 offset $4::integer`,
    `select active_members + inactive_members from company_counters where company_id = $3`,
  ),
}

/** $4 is the offset, $5 the pattern. The matches are gathered once, to be counted and sorted. */
export const foundMembers = {
  name: 'found members',
  text: listOf(
    `, found as materialized (select account_id, name_folded from memberships where company_id = $3 and search like $5)`,
    `select memberships.* from (
       select account_id from found order by name_folded, account_id limit 20 offset $4::integer) as ids
     join memberships on memberships.company_id = $3 and memberships.account_id = ids.account_id`,
    `select count(*) from found`,
  ),
}

const recordsWith = (condition: string) => `(
  select * from audit_records where ${condition} and company_id = $3 order by created_at desc, id desc limit 21)`

export const records = {
  name: 'records',
  text: `with access as materialized (${access})
    select access.permissions, access.is_owner, page.id, action, outcome, actor_id, actor_name, actor_email, target_type,
      target_id, target_label, changes, ip, user_agent, request_id, ${moment('created_at')} as created_at
    from access left join lateral (
      select * from (${recordsWith('seq is null')} union all ${recordsWith('seq is not null')}) as both_kinds
      order by created_at desc, id desc limit 21) as page on 'audit:read' = any(permissions)
    order by created_at desc, page.id desc`,
}
