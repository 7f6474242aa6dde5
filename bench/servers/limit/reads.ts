// One statement for each read. $1 is the account, $2 the session, $3 the company.

export const moment = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The user, and a row for each role in each company: id, name, slug, status, role, permissions. `source` names the session. */
export const contextOf = (source: string) => `
  select accounts.id, email, name, phone, avatar_url, position, document_type, document_number, timezone, locale,
    email_verified_at is not null as email_verified, source.must_change_password, has_second_factor as second_factor,
    ${moment('accounts.created_at')} as created_at, (
      select json_agg(
        json_build_array(companies.id, companies.name, companies.slug,
          case when companies.suspended_at is null then 'active' else 'suspended' end, roles.name, roles.permissions)
        order by m.created_at, companies.id, roles.name)
      from memberships m join companies on companies.id = m.company_id
      join membership_roles held on held.company_id = m.company_id and held.account_id = m.account_id
      join roles on roles.id = held.role_id
      where m.account_id = accounts.id and m.status = 'active' and not m.awaits_verification
        and companies.deleted_at is null) as companies
  from ${source} as source join accounts on accounts.id = source.account_id`

export const me = {
  name: 'me',
  text: `${contextOf('sessions')}
    where source.id = $2 and source.account_id = $1 and revoked_at is null and expires_at > now()`,
}

/** No row: no session. No permissions: no membership. */
export const accessTo = (permission: string) => `
  select own.*, accounts.name as actor_name, accounts.email as actor_email
  from sessions join accounts on accounts.id = sessions.account_id
  left join lateral (
    select json_agg(roles.permissions)::text as permissions, bool_or(roles.system_key = 'owner') as is_owner,
      bool_or('${permission}' = any(roles.permissions)) as is_allowed
    from memberships m join companies on companies.id = m.company_id
    join membership_roles held on held.company_id = m.company_id and held.account_id = m.account_id
    join roles on roles.id = held.role_id
    where m.company_id = $3 and m.account_id = sessions.account_id
      and m.status = 'active' and not m.awaits_verification and m.opened_at is not null
      and companies.deleted_at is null and companies.suspended_at is null
  ) as own on true
  where sessions.id = $2 and sessions.account_id = $1
    and sessions.revoked_at is null and sessions.expires_at > now() and not sessions.must_change_password`

export const mayAdd = { name: 'may add', text: accessTo('users:create') }

/** A membership `m` as the API shows it. */
export const memberColumns = `
  m.account_id as id, m.name, m.email, held.names as roles, held.ids as "roleIds", m.status,
  case when m.phone = '' then m.account_phone else m.phone end as phone,
  case when m.position = '' then m.account_position else m.position end as position,
  m.avatar_url, m.must_change_password, m.managed, m.password_shown, m.second_factor,
  array(select branch_id from membership_branches b
    where b.company_id = m.company_id and b.account_id = m.account_id order by branch_id) as "branchIds",
  ${moment('m.created_at')} as created_at`

export const rolesHeld = `
  cross join lateral (
    select array_agg(roles.name order by roles.name, roles.id) as names, array_agg(roles.id order by roles.name, roles.id) as ids
    from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = m.company_id and membership_roles.account_id = m.account_id) as held`

/** PostgreSQL writes the members as the JSON of the response. */
const listOf = (found: string, page: string, total: string) => `
  with access as materialized (${accessTo('users:read')})${found}
  select access.*, case when is_allowed then (${total})::integer end as total,
    case when is_allowed then array_to_json(array(
      select row_to_json(shown) from (select ${memberColumns} from (${page}) as m ${rolesHeld}
        order by m.name_folded, m.account_id) as shown))::text end as items
  from access`

const counted = `select active_members + inactive_members from company_counters where company_id = $3`
/** `limit 1` makes it one look-up for each row, whatever the planner expects. */
const byIds = (ids: string) => `
  select found_again.* from (${ids}) as ids cross join lateral (
    select * from memberships where company_id = $3 and account_id = ids.account_id limit 1) as found_again`

/** $4 is the offset. */
export const members = {
  name: 'members',
  text: listOf(
    '',
    `select * from memberships where company_id = $3 order by name_folded, account_id limit 20 offset $4::integer`,
    counted,
  ),
}

/** The same, where it pays to skip entries of the index alone. */
export const deepMembers = {
  name: 'deep members',
  text: listOf(
    '',
    byIds(`select account_id from memberships where company_id = $3
      order by name_folded, account_id limit 20 offset $4::integer`),
    counted,
  ),
}

/** $4 is the offset, $5 the pattern. The matches are gathered once, to be counted and sorted. */
export const foundMembers = {
  name: 'found members',
  text: listOf(
    `, found as materialized (select account_id, name_folded from memberships where company_id = $3 and search like $5)`,
    byIds(`select account_id from found order by name_folded, account_id limit 20 offset $4::integer`),
    `select count(*) from found`,
  ),
}

const recordsWith = (condition: string) => `(
  select * from audit_records where ${condition} and company_id = $3 order by created_at desc, id desc limit 21)`

/** One row with the records, or the one of a refusal without any. */
export const records = {
  name: 'records',
  text: `with access as materialized (${accessTo('audit:read')})
    select access.*, page.id, v, action, outcome, actor_id, actor_kind, page.actor_name as by_name, page.actor_email as by_email,
      via_type, via_id, actor_commitment is not null as is_actor_erased, target_commitment is not null as is_target_erased, target_type, target_id, target_label, changes, ip, user_agent, request_id, ${moment('created_at')} as time
    from access left join lateral (
      select * from (${recordsWith('seq is null')} union all ${recordsWith('seq is not null')}) as both_kinds
      order by created_at desc, id desc limit 21) as page on is_allowed
    order by created_at desc, page.id desc`,
}
