import { type SessionId, sessionWith } from '../../access/sessions.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { problem } from '../../problems.ts'
import { USER_COLUMNS, type UserRow, userFrom } from '../accounts/accounts.ts'
import type { SessionContext } from './schemas.ts'

/** Bounds the companies that the account has not opened, because any company can add it without its consent. */
const UNOPENED_MAX = 20

/** The account and its companies, in the order in which it joined them: those that it has opened, or that created it, first. */
const contextColumns = (alsoShown: string) => `${USER_COLUMNS}, (
  select coalesce(json_agg(json_build_object(
    'id', own.company_id, 'name', own.company_name, 'slug', own.company_slug, 'roles', own.roles
  ) order by own.opened_at is null and not own.created_account, own.created_at, own.company_id), '[]')
  from open_memberships own
  where own.account_id = $1 and (own.opened_at is not null or own.created_account ${alsoShown})) as companies`

const WITH_NEWEST = contextColumns(`or own.company_id = any (array(
      select newest.company_id from open_memberships newest
      where newest.account_id = $1 and newest.opened_at is null
      order by newest.created_at desc, newest.company_id desc limit ${UNOPENED_MAX}))`)

/**
 * Columns for `sessionWith`: the account and its companies without those that it has not opened, and whether there are any.
 * Most accounts have none, and only preparing to look for them would take PostgreSQL as long as all the rest.
 */
export const OPENED_CONTEXT_COLUMNS = `${contextColumns('')}, exists (
  select from memberships where account_id = $1 and opened_at is null and not created_account) as has_unopened`

export interface ContextRow extends UserRow {
  companies: OwnCompany[]
}

export interface OpenedContextRow extends ContextRow {
  has_unopened: boolean
}

interface OwnCompany {
  id: string
  name: string
  slug: string
  /** Name and permissions of each, by name; twice where one is about to replace another. */
  roles: [string, string[]][]
}

function contextFrom(row: ContextRow): SessionContext {
  const tenants: SessionContext['tenants'] = []
  const companyPermissions: SessionContext['companyPermissions'] = {}
  const companyRoles: SessionContext['companyRoles'] = {}
  for (const { id, name, slug, roles } of row.companies) {
    tenants.push({ id, name, slug })
    companyPermissions[id] = permissionsOf(roles)
    companyRoles[id] = [...new Set(roles.map(([role]) => role))]
  }
  return { user: userFrom(row), tenants, companyPermissions, companyRoles }
}

const permissionsOf = (roles: OwnCompany['roles']) =>
  [...new Set(roles.flatMap(([, permissions]) => permissions))].sort()

/** The context of a session of which the columns of OPENED_CONTEXT_COLUMNS are read. */
export async function completeContext(tx: Tx, opened: OpenedContextRow, session: SessionId): Promise<SessionContext> {
  return opened.has_unopened ? getSessionContext(tx, session.accountId, session.sessionId) : contextFrom(opened)
}

/** With the companies that the account has not opened. */
export async function getSessionContext(tx: Tx, accountId: string, sessionId: string): Promise<SessionContext> {
  const [row] = await findContext(tx, accountId, sessionId)
  if (!row) throw problem('token_invalid')
  return contextFrom(row)
}

const findContext = statement<ContextRow, [accountId: string, sessionId: string]>(sessionWith(WITH_NEWEST))
