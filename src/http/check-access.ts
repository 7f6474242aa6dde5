import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../access/actors.ts'
import { type Authority, assertPermission } from '../access/authority.ts'
import { type Access, type CompanyAccess, noAccessCode, permissionNeededFor } from '../access/requirements.ts'
import { findLiveSession, type LiveSession, openCompany } from '../access/sessions.ts'
import type { Database } from '../database/open.ts'
import { isUuid } from '../lib/ids.ts'
import type { Keys } from '../lib/keys.ts'
import { problem } from '../problems.ts'
import { requestInfoOf } from './request-info.ts'
import { createTokenVerifier } from './token-verifier.ts'

export type AccessCheck = (request: FastifyRequest, reply: FastifyReply, access: Access) => Promise<void>

/** Refuses in this order: 401 · 403 password change · 400 company · 403 or 404 membership · 403 permission. */
export function createAccessCheck(database: Database, keys: Keys): AccessCheck {
  const verify = createTokenVerifier(keys)
  return async (request, reply, access) => {
    if (access === 'anyone') return
    const credentials = verify(request.headers.authorization)
    const companyId = typeof access === 'object' ? findCompanyId(request, access) : undefined

    const session = await findLiveSession(database, credentials, companyId, access)
    if (!session) throw problem('token_invalid')
    const { name, email } = session
    const actor: Actor = { ...requestInfoOf(request), ...credentials, name, email }
    request.actor = actor
    if (session.must_change_password && access !== 'account with any password')
      throw problem('password_change_required')
    if (typeof access === 'string') return

    if (!companyId) throw access.at ? invalidUuid(access.at) : problem('company_header_missing')
    if (!(await canEnter(database, session, actor, companyId, access))) throw problem(noAccessCode(access))
    if (access.sameAs) assertSameCompany(request, access.sameAs, companyId)
    const authority = session.authority ?? NO_AUTHORITY
    request.actor = { ...actor, companyId, ...authority }
    reply.header('x-permissions-version', permissionsVersionOf(authority))
    const required = permissionNeededFor(access)
    if (required) assertPermission(authority, required)
  }
}

const NO_AUTHORITY: Authority = { permissions: new Set(), isOwner: false }

/** The id of the requested company, in lower case. Undefined: it is missing or not a UUID. */
export function findCompanyId({ params, headers }: FastifyRequest, { at }: CompanyAccess): string | undefined {
  const id = at ? (params as Record<string, string>)[at] : headers['x-company-id']
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined
}

/** The same problem as validation gives, which runs after the access check. */
const invalidUuid = (path: string) => problem('validation_failed', { details: [{ path, message: 'must be a UUID' }] })

/** Changes whenever the caller's permissions in the company change, so that front ends know when to reload them. */
const permissionsVersionOf = ({ permissions, isOwner }: Authority) =>
  hash('sha256', [...permissions, isOwner ? 'owner' : ''].sort().join(' '), 'base64url').slice(0, 16)

/** A parameter that is not a UUID is left to validation. */
function assertSameCompany({ params }: FastifyRequest, parameter: string, companyId: string): void {
  const id = (params as Record<string, string>)[parameter] ?? ''
  if (isUuid(id) && id.toLowerCase() !== companyId) throw problem('company_mismatch')
}

async function canEnter(
  database: Database,
  { authority, isOpened, isMember }: LiveSession,
  { accountId }: Actor,
  companyId: string,
  { company }: CompanyAccess,
): Promise<boolean> {
  if (company === 'any membership') return isMember
  if (!authority || isOpened) return authority !== undefined
  return openCompany(database, accountId, companyId)
}
