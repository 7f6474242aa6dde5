import { type ClosedCode, closedBy, factorAskedFrom } from '../../access/policies.ts'
import { IS_OPENED, type SessionCaller, sessionWith } from '../../access/sessions.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { problem } from '../../problems.ts'
import { USER_COLUMNS, type UserRow, userFrom } from '../accounts/accounts.ts'
import type { SessionContext } from './schemas.ts'

/** Bounds the companies that the account has not opened, because any company can add it without its consent. */
const UNOPENED_MAX = 20

/**
 * In the order in which the account joined them. Those that it has opened, or that created it, come first. Behind `offset 0`,
 * because two columns name the grants, which PostgreSQL would otherwise prepare twice.
 */
const companiesWhere = (condition: string) => `(
  select coalesce(json_agg(json_build_object(
    'id', own.company_id, 'name', own.company_name, 'slug', own.company_slug, 'isSuspended', own.is_suspended,
    'roles', own.roles, 'isOpened', ${IS_OPENED}, 'createdIt', own.created_account, 'closedBy', ${closedBy('$3')}, 'factorFrom', ${factorAskedFrom}
  ) order by own.opened_at is null and not own.created_account, own.created_at, own.company_id), '[]')
  from (select * from usable_memberships own where own.account_id = $1 ${condition} offset 0) own)`

/**
 * Columns for `sessionWith`: the account and its companies, which are null when it has not opened more than UNOPENED_MAX of
 * them. Few accounts have so many, and PostgreSQL needs a sixth of its time only to prepare to find the newest of them.
 */
export const CONTEXT_COLUMNS = `${USER_COLUMNS}, case when (
  select count(*) from (
    select from memberships where account_id = $1 and opened_at is null limit ${UNOPENED_MAX + 1}) unopened
) <= ${UNOPENED_MAX} then ${companiesWhere('')} end as companies`

const COMPLETE_COLUMNS = `${USER_COLUMNS}, ${companiesWhere(`
    and (own.opened_at is not null or own.created_account or own.company_id = any (array(
      select newest.company_id from usable_memberships newest
      where newest.account_id = $1 and newest.opened_at is null
      order by newest.created_at desc, newest.company_id desc limit ${UNOPENED_MAX})))`)} as companies`

interface CompleteRow extends UserRow {
  companies: OwnCompany[]
}

/** Of CONTEXT_COLUMNS. */
export interface ContextRow extends UserRow {
  companies: OwnCompany[] | null
}

interface OwnCompany {
  id: string
  name: string
  slug: string
  isSuspended: boolean
  /** Name and permissions of each, by name; twice where one is about to replace another. */
  roles: [string, string[]][]
  /** By an act of the account; until then a front end asks before it reads there. */
  isOpened: boolean
  /** It has created the account. */
  createdIt: boolean
  /** Why its policy keeps the session out. */
  closedBy: ClosedCode | null
  /** When its policy begins to ask the account for a second factor that it lacks. */
  factorFrom: string | null
}

function contextFrom(row: CompleteRow): SessionContext {
  const tenants: SessionContext['tenants'] = []
  const companyPermissions: SessionContext['companyPermissions'] = {}
  const companyRoles: SessionContext['companyRoles'] = {}
  const companyAccess: SessionContext['companyAccess'] = {}
  const companyAccessFrom: SessionContext['companyAccessFrom'] = {}
  const unopenedCompanies = row.companies.filter(({ isOpened }) => !isOpened).map(({ id }) => id)
  for (const { id, name, slug, isSuspended, roles, closedBy, factorFrom } of row.companies) {
    tenants.push({ id, name, slug, status: isSuspended ? 'suspended' : 'active' })
    companyPermissions[id] = permissionsOf(roles)
    companyRoles[id] = [...new Set(roles.map(([role]) => role))]
    companyAccess[id] = isSuspended ? 'company_suspended' : (closedBy ?? 'open')
    if (factorFrom)
      companyAccessFrom[id] = { from: new Date(factorFrom).toISOString(), code: 'second_factor_required_by_company' }
  }
  const context = { user: userFrom(row), tenants, companyPermissions, companyRoles, companyAccess, unopenedCompanies }
  const creator = row.companies.find(({ createdIt }) => createdIt)
  return {
    ...context,
    ...(Object.keys(companyAccessFrom).length > 0 && { companyAccessFrom }),
    ...(creator && { creatorCompany: creator.id }),
  }
}

/** Nearly all members have one role in a company. */
function permissionsOf(roles: OwnCompany['roles']): string[] {
  const [[, permissions] = [], ...others] = roles
  if (permissions && others.length === 0) return permissions.sort()
  return [...new Set(roles.flatMap(([, permissions]) => permissions))].sort()
}

/** `row`: what was read with the session. */
export async function completeContext(tx: Tx, row: ContextRow, caller: SessionCaller): Promise<SessionContext> {
  const { companies } = row
  return companies ? contextFrom({ ...row, companies }) : getSessionContext(tx, caller)
}

export async function getSessionContext(tx: Tx, caller: SessionCaller): Promise<SessionContext> {
  const context = await findSessionContext(tx, caller)
  if (!context) throw problem('token_invalid')
  return context
}

/** Undefined: the session has ended, or the account has been disabled. */
export async function findSessionContext(
  tx: Tx,
  { accountId, sessionId, ip }: SessionCaller,
): Promise<SessionContext | undefined> {
  const [row] = await findContext(tx, accountId, sessionId, ip)
  return row && contextFrom(row)
}

const findContext = statement<CompleteRow, [accountId: string, sessionId: string, address: string]>(
  sessionWith(COMPLETE_COLUMNS),
)
