import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Actor } from '../access/actors.ts'
import type { Permission } from '../access/permissions.ts'
import type { Database } from '../database/open.ts'
import { asAccount } from '../database/scopes.ts'
import { isUuid } from '../lib/ids.ts'
import type { Keys } from '../lib/keys.ts'
import { problem } from '../problems.ts'
import { callerOf } from './request-info.ts'
import { type Credentials, createVerifier } from './token-verifier.ts'

/** Who may call a route. There is no default: a route that declares nothing stops the boot. */
export type Access =
  /** Nobody needs to sign in. */
  | 'anyone'
  /** Whoever is signed in and has no temporary password in force. */
  | 'account'
  /** Whoever is signed in, also while a temporary password is in force. */
  | 'account with any password'
  /**
   * An active member of a company whose roles give the permission; `membership`: every active member; `any membership`:
   * an inactive member too, and one whose address is not proven.
   */
  | ({ company: Permission | 'membership' | 'any membership' } & CompanyNamedBy)

/**
 * The company is named by the header `x-company-id`; `sameAs`: a parameter of the path must name the same one. Or it is
 * named by the path alone, `at`: then a company that the caller is no active member of is not there.
 */
type CompanyNamedBy = { sameAs?: string; at?: undefined } | { at: string; sameAs?: undefined }

export type AccessCheck = (request: FastifyRequest, reply: FastifyReply, access: Access) => Promise<void>

/** Asks, in this order: 401 · 403 password change · 400 company · 403 or 404 membership · 403 permission. */
export function createAccessCheck(database: Database, keys: Keys): AccessCheck {
  const verify = createVerifier(keys)
  return async (request, reply, access) => {
    if (access === 'anyone') return
    const credentials = verify(request.headers.authorization)
    const companyId = typeof access === 'object' ? companyNamedBy(request, access) : undefined

    const found = await findSession(database, credentials, companyId, access)
    if (!found) throw problem('token_invalid')
    const actor: Actor = { ...callerOf(request), ...credentials, name: found.name, email: found.email }
    request.actor = actor
    if (found.must_change_password && access !== 'account with any password') throw problem('password_change_required')
    if (typeof access === 'string') return

    if (!companyId) throw access.at ? notAUuid(access.at) : problem('company_header_missing')
    if (!(await isLetIn(database, found, actor, companyId, access)))
      throw problem(access.at ? 'company_not_found' : 'not_a_member')
    if (access.sameAs) assertSameCompany(request, access.sameAs, companyId)
    const held = found.permissions ?? []
    const permissions = new Set(held.filter((permission) => permission !== OWNER))
    request.actor = { ...actor, companyId, permissions }
    reply.header('x-permissions-version', versionOf(held))
    if (access.company === 'membership' || access.company === 'any membership') return
    if (!permissions.has(access.company)) throw problem('permission_missing', { required: access.company })
  }
}

function companyNamedBy(request: FastifyRequest, { at }: CompanyNamedBy): string | undefined {
  const name = at ? (request.params as Record<string, string>)[at] : request.headers['x-company-id']
  return typeof name === 'string' && isUuid(name) ? name.toLowerCase() : undefined
}

/** As validation would say it, which comes later. */
const notAUuid = (path: string) => problem('validation_failed', { details: [{ path, message: 'must be a UUID' }] })

/** Another value as soon as the caller holds something else in the company: front ends fetch anew what depends on it. */
const versionOf = (held: readonly string[]) =>
  hash('sha256', [...new Set(held)].sort().join(' '), 'base64url').slice(0, 16)

/** A parameter that is no UUID at all is left to validation. */
function assertSameCompany(request: FastifyRequest, parameter: string, companyId: string): void {
  const named = (request.params as Record<string, string>)[parameter] ?? ''
  if (isUuid(named) && named.toLowerCase() !== companyId) throw problem('company_mismatch')
}

/** The first request that comes so far opens the company for its account: from then on the membership counts. */
async function isLetIn(
  database: Database,
  { permissions, is_opened, is_member }: Found,
  { accountId }: Actor,
  companyId: string,
  { company }: { company: string },
): Promise<boolean> {
  if (company === 'any membership') return is_member
  if (!permissions || is_opened) return permissions !== null
  // False: in this very moment the membership has become inactive, or awaits proof. Not a plain select: it writes, and so
  // must not travel on a connection that reads of many requests share.
  const { rows } = await sql<{
    opened: boolean
  }>`with opened as materialized (select open_company(${companyId}) as opened)
    select opened from opened`.execute(database.autocommit(asAccount(accountId)))
  return rows[0]?.opened === true
}

interface Found {
  must_change_password: boolean
  name: string
  email: string
  /** Null: not an active member of the company, or no company was asked for. */
  permissions: (Permission | typeof OWNER)[] | null
  is_opened: boolean
  /** An inactive or unproven one counts; asked for `any membership` alone. */
  is_member: boolean
}

/** Stands among the permissions of Owners, who may do more than any permission says. */
const OWNER = 'owner'

/** One statement tells whether the session lives and what its account may do in the company. */
async function findSession(
  database: Database,
  { accountId, sessionId }: Credentials,
  companyId: string | undefined,
  access: Exclude<Access, 'anyone'>,
): Promise<Found | undefined> {
  const anyMembership = typeof access === 'object' && access.company === 'any membership'
  const { rows } = await sql<Found>`
    select sessions.must_change_password, accounts.name, accounts.email, held.permissions,
      coalesce(held.is_opened, false) as is_opened,
      ${companyId && anyMembership ? sql`belongs_to_company(${companyId})` : sql`false`} as is_member
    from sessions join accounts on accounts.id = sessions.account_id
    left join lateral ${companyId ? heldIn(companyId, accountId) : nothingHeld} as held on true
    where sessions.id = ${sessionId} and sessions.account_id = ${accountId}
      and sessions.revoked_at is null and sessions.expires_at > now()`.execute(
    database.autocommit(asAccount(accountId)),
  )
  return rows[0]
}

const nothingHeld = sql`(select null::text[] as permissions, false as is_opened)`

const heldIn = (companyId: string, accountId: string) => sql`(
  select array(
    select unnest(case roles.system_key when 'owner' then roles.permissions || ${OWNER}::text else roles.permissions end)
    from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
  ) as permissions, memberships.opened_at is not null as is_opened
  from memberships join companies on companies.id = memberships.company_id
  where memberships.company_id = ${companyId} and memberships.account_id = ${accountId}
    and memberships.status = 'active' and companies.deleted_at is null)`
