import { sessionWith } from '../../access/sessions.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { USER_COLUMNS, type UserRow, userFrom } from '../accounts/accounts.ts'
import type { SessionContext } from './schemas.ts'

/** Bounds the companies that the account has not opened, because any company can add it without its consent. */
const UNOPENED_MAX = 20

/**
 * Columns for `sessionWith`: the account, and the companies that it can access, in the order in which it joined them.
 * Those that it has opened, and the company that created the account, come first and are never left out.
 */
export const CONTEXT_COLUMNS = `${USER_COLUMNS}, (
  select coalesce(json_agg(json_build_object(
    'id', own.company_id, 'name', own.company_name, 'slug', own.company_slug, 'isSuspended', own.is_suspended,
    'roles', own.roles
  ) order by own.opened_at is null and not own.created_account, own.created_at, own.company_id), '[]')
  from open_memberships own
  where own.account_id = $1
    and (own.opened_at is not null or own.created_account or own.company_id = any (array(
      select newest.company_id from open_memberships newest
      where newest.account_id = $1 and newest.opened_at is null
      order by newest.created_at desc, newest.company_id desc limit ${UNOPENED_MAX})))) as companies`

export interface ContextRow extends UserRow {
  companies: OwnCompany[]
}

interface OwnCompany {
  id: string
  name: string
  slug: string
  isSuspended: boolean
  /** Name and permissions of each, by name; twice where one is about to replace another. */
  roles: [string, string[]][]
}

export function contextFrom(row: ContextRow): SessionContext {
  const tenants: SessionContext['tenants'] = []
  const companyPermissions: SessionContext['companyPermissions'] = {}
  const companyRoles: SessionContext['companyRoles'] = {}
  for (const { id, name, slug, isSuspended, roles } of row.companies) {
    tenants.push({ id, name, slug, status: isSuspended ? 'suspended' : 'active' })
    companyPermissions[id] = permissionsOf(roles)
    companyRoles[id] = [...new Set(roles.map(([role]) => role))]
  }
  return { user: userFrom(row), tenants, companyPermissions, companyRoles }
}

const permissionsOf = (roles: OwnCompany['roles']) =>
  [...new Set(roles.flatMap(([, permissions]) => permissions))].sort()

/** Undefined: the account has been disabled. */
export async function findSessionContext(
  tx: Tx,
  accountId: string,
  sessionId: string,
): Promise<SessionContext | undefined> {
  const [row] = await findContext(tx, accountId, sessionId)
  return row && contextFrom(row)
}

const WITH_CONTEXT = sessionWith(CONTEXT_COLUMNS)
const findContext = statement<ContextRow, [accountId: string, sessionId: string]>(WITH_CONTEXT)
