import { sql } from 'kysely'
import { STATEMENT_MS } from '../database/connection-settings.ts'
import type { Database, Statement } from '../database/open.ts'
import { asAccount } from '../database/scopes.ts'
import { problem } from '../problems.ts'
import type { SessionId } from './actors.ts'
import type { Authority } from './authority.ts'
import { PROOF_COLUMNS, type SessionProof } from './freshness.ts'
import type { Permission } from './permissions.ts'
import { type ClosedCode, closedBy } from './policies.ts'
import { type Access, type CompanyAccess, permissionNeededFor, type Requirements } from './requirements.ts'

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
  /** The company's policy keeps this session out. Not looked up for `any membership`. */
  closedBy: ClosedCode | undefined
  /** Inactive and unverified members count, too. Only looked up for `any membership`. */
  isMember: boolean
  proof: SessionProof
  /** All columns that were read, for a route that reads more of them. */
  row: object
}

interface SessionRow extends SessionProof {
  must_change_password: boolean
  name: string
  email: string
  grants?: string[] | null
  is_opened?: boolean
  is_suspended?: boolean | null
  closed_by?: ClosedCode | null
  is_member?: boolean
}

/**
 * Of a row of usable_memberships: the account has opened the company by an act of its own. The one that created the account is not opened any more
 * once a password was chosen by a link: see functions/open_company.sql.
 */
export const IS_OPENED = `coalesce(own.opened_at > coalesce(
  case when own.created_account then accounts.reset_by_link_at end, '-infinity'), false)`

// $1: the account, $2: the session, $3: the company, $4: the address of the request.
const ACCOUNT_COLUMNS = `sessions.must_change_password, accounts.name, accounts.email, ${PROOF_COLUMNS}`
const COMPANY_COLUMNS = `own.grants, ${IS_OPENED} as is_opened, own.is_suspended, ${closedBy('$4')} as closed_by`
const SESSIONS = 'from sessions join accounts on accounts.id = sessions.account_id'
// Behind `offset 0`, because PostgreSQL would prepare the subquery of a column again for each place that names it.
const MEMBERSHIP = `left join lateral (
  select opened_at, created_account, is_suspended, grants, company from usable_memberships
  where account_id = accounts.id and company_id = $3 offset 0) own on true`
const OF_LIVE_SESSION = `where sessions.id = $2 and sessions.account_id = $1
  and sessions.revoked_at is null and sessions.expires_at > now() and accounts.disabled_at is null`

const WITHOUT_COMPANY = `select ${ACCOUNT_COLUMNS} ${SESSIONS} ${OF_LIVE_SESSION}`
const IN_COMPANY = `select ${ACCOUNT_COLUMNS}, ${COMPANY_COLUMNS} ${SESSIONS} ${MEMBERSHIP} ${OF_LIVE_SESSION}`
const WITH_ANY_MEMBERSHIP = `select ${ACCOUNT_COLUMNS}, is_company_member($3) as is_member ${SESSIONS} ${OF_LIVE_SESSION}`

/** A live session without a company, with more columns of its account ($1). They may use $3, the address of the request. */
export const sessionWith = (columns: string) => `select ${ACCOUNT_COLUMNS}, ${columns} ${SESSIONS} ${OF_LIVE_SESSION}`

/** Who sends a request, and from which address. */
export type SessionCaller = SessionId & { ip: string }

/** One statement, because every request begins with it. Undefined: the session has ended. */
export async function findLiveSession(
  database: Database,
  caller: SessionCaller,
  companyId: string | undefined,
  access: Exclude<Access, 'anyone'>,
  withColumns?: string,
): Promise<LiveSession | undefined> {
  const isAnyMembership = typeof access === 'object' && access.company === 'any membership'
  const statement = companyId ? sessionInCompany(caller, companyId, isAnyMembership) : sessionOnly(caller, withColumns)
  const [row] = await database.query<SessionRow>(asAccount(caller.accountId), statement)
  return row && liveSessionFrom(row)
}

const sessionInCompany = ({ accountId, sessionId, ip }: SessionCaller, companyId: string, isAny: boolean): Statement =>
  isAny
    ? { sql: WITH_ANY_MEMBERSHIP, parameters: [accountId, sessionId, companyId] }
    : { sql: IN_COMPANY, parameters: [accountId, sessionId, companyId, ip] }

const sessionOnly = ({ accountId, sessionId, ip }: SessionCaller, withColumns: string | undefined): Statement =>
  withColumns
    ? { sql: withColumns, parameters: [accountId, sessionId, ip] }
    : { sql: WITHOUT_COMPANY, parameters: [accountId, sessionId] }

function liveSessionFrom(row: SessionRow): LiveSession {
  const { must_change_password, name, email, grants, is_opened, is_suspended, is_member } = row
  const { closed_by, has_second_factor, proof_seconds } = row
  return {
    must_change_password,
    name,
    email,
    authority: grants ? authorityIn(grants) : undefined,
    isOpened: is_opened === true,
    isSuspended: is_suspended === true,
    closedBy: closed_by ?? undefined,
    isMember: is_member === true,
    proof: { has_second_factor, proof_seconds },
    row,
  }
}

/** Of usable_memberships. Only permissions have a colon. */
const authorityIn = (grants: string[]): Authority => ({
  permissions: new Set(grants.filter((grant) => grant.includes(':')) as Permission[]),
  isOwner: grants.includes('owner'),
})

/**
 * The same as a gate: it also moves the transaction into the company when the session gives access to it, and otherwise out
 * of every company, so that the statements behind it find no row; nor do they write. The conditions are those of the access
 * check, which decides again by the row.
 */
export const companyGate = (
  { accountId, sessionId, ip }: SessionCaller,
  companyId: string,
  { access, ownerOnly, fresh }: Requirements<CompanyAccess>,
): Statement => {
  const parameters = [accountId, sessionId, companyId, ip, permissionNeededFor(access) ?? null]
  if (!ownerOnly && !fresh) return { sql: COMPANY_GATE, parameters, isConstant: true }
  const proof = [ownerOnly === true, fresh ? fresh.minutes * 60 : null, fresh?.onlyWithFactor === true]
  return { sql: STRICT_COMPANY_GATE, parameters: [...parameters, ...proof], isConstant: true }
}

/** Of the time that one statement may take, for both together. */
const REMAINING_MS = `greatest(
  100, ${STATEMENT_MS} - (extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer)::text`

const gateWhere = (condition: string) => `
  with live as materialized (${IN_COMPANY}),
  gate as materialized (
    select live.*,
      coalesce(
        not must_change_password and is_opened and not is_suspended and closed_by is null
        and ($5::text is null or $5 = any (grants)) ${condition}, false) as is_open
    from (select) as always left join live on true)
  select gate.*, set_config('role', 'tenantry_tenant', true), set_config('transaction_read_only', 'on', true),
    set_config('statement_timeout', ${REMAINING_MS}, true),
    set_config('app.company_id', case when is_open then $3::uuid::text else '' end, true)
  from gate`
const COMPANY_GATE = gateWhere('')
const STRICT_COMPANY_GATE = gateWhere(`and (not $6::boolean or 'owner' = any (grants))
  and ($7::float8 is null or $8::boolean and not has_second_factor or coalesce(proof_seconds < $7, false))`)

/** Its columns are null when the session has ended. */
export type GateRow = { is_open: boolean } & (SessionRow | { must_change_password: null })

/** What the gate has found. Session undefined: it has ended. */
export function sessionAtGate({ is_open, ...row }: GateRow): { session: LiveSession | undefined; isOpen: boolean } {
  return { session: row.must_change_password === null ? undefined : liveSessionFrom(row), isOpen: is_open }
}

/**
 * The first request of a member opens the company for its account: from then on the membership counts. False: in this
 * very moment the membership has become inactive, or awaits verification. Throws where the session has ended.
 */
export async function openCompany(
  database: Database,
  { accountId, sessionId }: SessionId,
  companyId: string,
): Promise<boolean> {
  // Not a plain select: it writes, and must not travel on a connection that many reads share.
  const { rows } = await sql<{ opened: boolean | null }>`
    with opened as materialized (select open_company(${companyId}, ${sessionId}) as opened)
    select opened from opened`.execute(database.autocommit(asAccount(accountId)))
  const opened = rows[0]?.opened ?? null
  if (opened === null) throw problem('token_invalid')
  return opened
}

/** Whether a company actor still has the access that the request had when it came in; for responses that take long. */
export async function stillHasAccess(
  database: Database,
  actor: SessionCaller & { companyId: string },
  required: Permission,
): Promise<boolean> {
  const session = await findLiveSession(database, actor, actor.companyId, { company: required })
  if (!session || session.must_change_password || session.isSuspended || session.closedBy) return false
  return session.authority?.permissions.has(required) === true
}
