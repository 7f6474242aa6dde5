import { sql } from 'kysely'
import type { Database } from '../database/open.ts'
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
  /** Inactive and unverified members count, too. Only looked up for `any membership`. */
  isMember: boolean
}

interface SessionRow {
  must_change_password: boolean
  name: string
  email: string
  permissions: Permission[] | null
  is_owner: boolean | null
  is_opened: boolean
  is_member: boolean
}

/** One statement, because every request begins with it. Undefined: the session has ended. */
export async function findLiveSession(
  database: Database,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  companyId: string | undefined,
  access: Exclude<Access, 'anyone'>,
): Promise<LiveSession | undefined> {
  const anyMembership = typeof access === 'object' && access.company === 'any membership'
  const { rows } = await sql<SessionRow>`
    select sessions.must_change_password, accounts.name, accounts.email, own.permissions, own.is_owner,
      own.opened_at is not null as is_opened,
      ${companyId && anyMembership ? sql`is_company_member(${companyId})` : sql`false`} as is_member
    from sessions join accounts on accounts.id = sessions.account_id
    left join ${companyId ? sql`open_memberships` : NO_MEMBERSHIPS} as own
      on own.account_id = accounts.id and own.company_id = ${companyId ?? null}
    where sessions.id = ${sessionId} and sessions.account_id = ${accountId}
      and sessions.revoked_at is null and sessions.expires_at > now()`.execute(
    database.autocommit(asAccount(accountId)),
  )
  return rows[0] && liveSessionFrom(rows[0])
}

function liveSessionFrom({ permissions, is_owner, is_opened, is_member, ...account }: SessionRow): LiveSession {
  const authority = permissions ? { permissions: new Set(permissions), isOwner: is_owner === true } : undefined
  return { ...account, authority, isOpened: is_opened, isMember: is_member }
}

const NO_MEMBERSHIPS = sql`(
  select null::uuid as company_id, null::uuid as account_id, null::text[] as permissions, false as is_owner,
    null::timestamptz as opened_at where false)`

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
  return session?.must_change_password === false && session.authority?.permissions.has(required) === true
}
