import { sql } from 'kysely'
import { STATEMENT_MS } from '../database/connection-settings.ts'
import type { Database, Statement } from '../database/open.ts'
import { asAccount } from '../database/scopes.ts'
import type { Authority } from './authority.ts'
import type { Permission } from './permissions.ts'
import type { Access } from './requirements.ts'

/** A live session, its account, and what the account may do in the requested company. */
export interface LiveSession {
  must_change_password: boolean
  name: string
  email: string
  /** Undefined: the account has no active membership in the company, or no company was requested. */
  authority: Authority | undefined
  /** The account has used the company before. */
  isOpened: boolean
  /** An operator has suspended the company. Not looked up for `any membership`. */
  isSuspended: boolean
  /** Inactive and unverified members count, too. Only looked up for `any membership`. */
  isMember: boolean
  /** All columns that were read, for a route that reads more of them. */
  row: object
}

/** The session and account of an access token. */
export interface SessionId {
  accountId: string
  sessionId: string
}

interface SessionRow {
  must_change_password: boolean
  name: string
  email: string
  permissions?: Permission[] | null
  is_owner?: boolean | null
  is_opened?: boolean
  is_suspended?: boolean | null
  is_member?: boolean
}

// $1: the account, $2: the session, $3: the company.
const ACCOUNT_COLUMNS = 'sessions.must_change_password, accounts.name, accounts.email'
const COMPANY_COLUMNS = 'own.permissions, own.is_owner, own.opened_at is not null as is_opened, own.is_suspended'
const SESSIONS = 'from sessions join accounts on accounts.id = sessions.account_id'
const MEMBERSHIP = 'left join open_memberships own on own.account_id = accounts.id and own.company_id = $3'
const OF_LIVE_SESSION = `where sessions.id = $2 and sessions.account_id = $1
  and sessions.revoked_at is null and sessions.expires_at > now() and accounts.disabled_at is null`

const WITHOUT_COMPANY = `select ${ACCOUNT_COLUMNS} ${SESSIONS} ${OF_LIVE_SESSION}`
const IN_COMPANY = `select ${ACCOUNT_COLUMNS}, ${COMPANY_COLUMNS} ${SESSIONS} ${MEMBERSHIP} ${OF_LIVE_SESSION}`
const WITH_ANY_MEMBERSHIP = `select ${ACCOUNT_COLUMNS}, is_company_member($3) as is_member ${SESSIONS} ${OF_LIVE_SESSION}`

/** A live session without a company, with more columns of its account ($1). */
export const sessionWith = (columns: string) => `select ${ACCOUNT_COLUMNS}, ${columns} ${SESSIONS} ${OF_LIVE_SESSION}`

/** One statement, because every request begins with it. Undefined: the session has ended. */
export async function findLiveSession(
  database: Database,
  { accountId, sessionId }: SessionId,
  companyId: string | undefined,
  access: Exclude<Access, 'anyone'>,
  withoutCompany = WITHOUT_COMPANY,
): Promise<LiveSession | undefined> {
  const isAnyMembership = typeof access === 'object' && access.company === 'any membership'
  const statement: Statement = companyId
    ? { sql: isAnyMembership ? WITH_ANY_MEMBERSHIP : IN_COMPANY, parameters: [accountId, sessionId, companyId] }
    : { sql: withoutCompany, parameters: [accountId, sessionId] }
  const [row] = await database.query<SessionRow>(asAccount(accountId), statement)
  return row && liveSessionFrom(row)
}

function liveSessionFrom(row: SessionRow): LiveSession {
  const { must_change_password, name, email, permissions, is_owner, is_opened, is_suspended, is_member } = row
  return {
    must_change_password,
    name,
    email,
    authority: permissions ? { permissions: new Set(permissions), isOwner: is_owner === true } : undefined,
    isOpened: is_opened === true,
    isSuspended: is_suspended === true,
    isMember: is_member === true,
    row,
  }
}

/**
 * The same as a gate: it also moves the transaction into the company when the session gives access to it, and otherwise out
 * of every company, so that the statements behind it find no row; nor do they write. The conditions are those of the access
 * check, which decides again by the row.
 */
export const companyGate = (
  { accountId, sessionId }: SessionId,
  companyId: string,
  required: Permission | undefined,
): Statement => ({
  sql: COMPANY_GATE,
  parameters: [accountId, sessionId, companyId, required ?? null],
  isConstant: true,
})

/** Of the time that one statement may take, for both together. */
const REMAINING_MS = `greatest(
  100, ${STATEMENT_MS} - (extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer)::text`

const COMPANY_GATE = `
  with live as materialized (${IN_COMPANY}),
  gate as materialized (
    select live.*,
      coalesce(
        not must_change_password and is_opened and not is_suspended and ($4::text is null or $4 = any (permissions)), false) as is_open
    from (select) as always left join live on true)
  select gate.*, set_config('role', 'tenantry_tenant', true), set_config('transaction_read_only', 'on', true),
    set_config('statement_timeout', ${REMAINING_MS}, true),
    set_config('app.company_id', case when is_open then $3::uuid::text else '' end, true)
  from gate`

/** Its columns are null when the session has ended. */
export type GateRow = { is_open: boolean } & (SessionRow | { must_change_password: null })

/** What the gate has found. Session undefined: it has ended. */
export function sessionAtGate({ is_open, ...row }: GateRow): { session: LiveSession | undefined; isOpen: boolean } {
  return { session: row.must_change_password === null ? undefined : liveSessionFrom(row), isOpen: is_open }
}

/**
 * The first request of a member opens the company for its account: from then on the membership counts. False: in this
 * very moment the membership has become inactive, or awaits verification.
 */
export async function openCompany(database: Database, accountId: string, companyId: string): Promise<boolean> {
  // Not a plain select: it writes, and must not travel on a connection that many reads share.
  const { rows } = await sql<{ opened: boolean }>`
    with opened as materialized (select open_company(${companyId}) as opened)
    select opened from opened`.execute(database.autocommit(asAccount(accountId)))
  return rows[0]?.opened === true
}

/** Whether a company actor still has the access that the request had when it came in; for responses that take long. */
export async function stillHasAccess(
  database: Database,
  actor: { accountId: string; sessionId: string; companyId: string },
  required: Permission,
): Promise<boolean> {
  const session = await findLiveSession(database, actor, actor.companyId, { company: required })
  if (!session || session.must_change_password || session.isSuspended) return false
  return session.authority?.permissions.has(required) === true
}
