import { isoTime, jsonArrayOf } from '../../database/json.ts'
import type { MemberQuery } from './schemas.ts'

// The statements of the member list. Their texts are fixed and few, so that each connection prepares each of them once, and the
// plan of each is good for every company: a plan is made for the company that comes first on its connection. See
// docs/decisions/0008-member-list.md.

/**
 * A member as the API shows it, in the order of its schema, from the membership `m` alone, which has copies of what a company
 * may see of the account.
 */
const columns = `
  m.account_id as id, m.name, m.email, held.names as roles, held.ids as "roleIds", m.status,
  case when m.phone = '' then m.account_phone else m.phone end as phone,
  case when m.position = '' then m.account_position else m.position end as position,
  m.avatar_url, m.must_change_password, m.managed, m.password_shown, m.second_factor, array(
    select membership_branches.branch_id from membership_branches
    where membership_branches.account_id = m.account_id order by membership_branches.branch_id) as "branchIds",
  ${isoTime('m.created_at')} as created_at`

/** Sorted by the database, because names of roles follow its collation. A replaced role has the name of its replacement. */
const rolesHeld = `cross join lateral (
    select coalesce(array_agg(sorted.name), '{}') as names, coalesce(array_agg(sorted.id), '{}') as ids
    from (
      select distinct on (roles.name) roles.name, coalesce(roles.replaced_by, roles.id) as id
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.account_id = m.account_id order by roles.name
    ) sorted
  ) held`

/** `limit 1` makes it one look-up for each row, whatever the planner expects. */
const membershipOf = (id: string) => `cross join lateral (
    select * from memberships where memberships.account_id = ${id} limit 1
  ) m`

export const ONE_MEMBER = `
  select ${columns}, m.updated_at::text as changed_at from memberships m ${rolesHeld} where m.account_id = $1`

/** One row: the total that find_members returns, and the members of the page as JSON. */
export const FOUND_MEMBERS = `
  select found.total, ${jsonArrayOf(`
    select ${columns} from unnest(found.ids) with ordinality page (account_id, place)
    ${membershipOf('page.account_id')} ${rolesHeld} order by page.place`)} as items
  from find_members($1, $2, $3, $4, $5, $6, $7, $8) found`

type ListQuery = Pick<MemberQuery, 'sortBy' | 'sortDir' | 'status'>

const sortColumns = { name: 'name_folded', email: 'email', created_at: 'created_at', status: 'status' } as const

/** Skipping more entries of the index than this takes longer than finding the rows of the page again by their ids. */
const DEEP_FROM = 200

/**
 * A page without a filter but the status, read from an index in order, as JSON, and the total from a counter. Its values are
 * the limit and the offset.
 */
export function pageStatement(query: ListQuery, offset: number): string {
  const isDeep = offset >= DEEP_FROM
  const key = `${query.sortBy} ${query.sortDir} ${query.status} ${isDeep}`
  const text = pageTexts.get(key) ?? pageText(query, isDeep)
  pageTexts.set(key, text)
  return text
}

const pageTexts = new Map<string, string>()

function pageText(query: ListQuery, isDeep: boolean): string {
  const total = query.status ? `${query.status}_members` : 'active_members + inactive_members'
  const shallow = `(${entries('*', query, '$2::bigint', '$1::bigint')}) m`
  const deep = `(${deepPage(query)}) page ${membershipOf('page.account_id')}`
  return `
    select counters.total, ${jsonArrayOf(`
      select ${columns} from ${isDeep ? deep : shallow} ${rolesHeld} ${orderBy(query, 'm.')}`)} as items
    from (select ${total} as total from company_counters) counters`
}

/** Counted from the nearer end, so that the last page is as fast as the first one. A limit of 0 reads nothing. */
function deepPage(query: ListQuery): string {
  const isFirstHalf = '$2::bigint * 2 < counters.total'
  const rest = 'greatest(counters.total - $2::bigint, 0)'
  const backwards: ListQuery = { ...query, sortDir: query.sortDir === 'asc' ? 'desc' : 'asc' }
  const fromStart = entries('account_id', query, '$2::bigint', `case when ${isFirstHalf} then $1::bigint else 0 end`)
  const fromEnd = entries(
    'account_id',
    backwards,
    `greatest(${rest} - $1::bigint, 0)`,
    `case when ${isFirstHalf} then 0 else least($1::bigint, ${rest}) end`,
  )
  return `(${fromStart}) union all (${fromEnd})`
}

/** The outer limit ends the inner one early; the inner one tells the planner that a page is small. */
const entries = (shown: string, query: ListQuery, offset: string, limit: string) => `
  select * from (
    select ${shown} from memberships ${query.status ? `where status = '${query.status}'` : ''}
    ${orderBy(query, '')} limit 100 offset ${offset}
  ) capped limit ${limit}`

const orderBy = ({ sortBy, sortDir }: ListQuery, table: 'm.' | '') =>
  `order by ${table}${sortColumns[sortBy]} ${sortDir}, ${table}account_id ${sortDir}`
