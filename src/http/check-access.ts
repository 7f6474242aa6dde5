import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, CompanyActor, SessionId } from '../access/actors.ts'
import { type Authority, assertPermission } from '../access/authority.ts'
import { assertFreshSession } from '../access/freshness.ts'
import { closedProblem } from '../access/policies.ts'
import { type CompanyAccess, noAccessCode, permissionNeededFor, type Requirements } from '../access/requirements.ts'
import {
  companyGate,
  findLiveSession,
  type GateRow,
  type LiveSession,
  openCompany,
  type SessionCaller,
  sessionAtGate,
} from '../access/sessions.ts'
import type { Database, Tx } from '../database/open.ts'
import { asAccount, inCompany } from '../database/scopes.ts'
import { isUuid } from '../lib/ids.ts'
import { problem } from '../problems.ts'
import { clientAddressOf, requestInfoOf } from './request-info.ts'
import type { TokenVerifier } from './token-verifier.ts'

export interface AccessChecks {
  /**
   * Throws a refusal; sets the request's actor and session. `sessionStatement`: SQL of sessionWith, for a route without a
   * company that reads more with its session.
   */
  check(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements,
    sessionStatement?: string,
  ): Promise<void>
  /** The same for a read in a company, whose first statements do not wait for the decision. */
  gate(request: FastifyRequest, reply: FastifyReply, requirements: Requirements<CompanyAccess>): Promise<GatedRead>
  /** For a write whose actor was read again under the company's lock. Throws when a permission is missing by now. */
  admit(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements<CompanyAccess>,
    actor: CompanyActor,
  ): void
}

export interface GatedRead {
  tx: Tx
  /** Known before access is decided. */
  caller: SessionCaller
  /** Throws a refusal. */
  actor(): Promise<CompanyActor>
  /** Rejects with the refusal, if there is one; never resolves. The statements of `tx` never answer then. */
  refused: Promise<never>
}

/**
 * Refuses in this order: 401 · 403 password change · 400 company · 403 or 404 membership · 403 suspended · 403 the company's
 * policy · 403 permission · 403 owner · 403 freshness.
 */
export function createAccessChecks(database: Database, tokens: TokenVerifier): AccessChecks {
  async function check(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements,
    sessionStatement?: string,
  ): Promise<void> {
    const { access } = requirements
    if (access === 'anyone') return
    const credentials = tokens.verify(request.headers.authorization)
    const companyId = typeof access === 'object' ? findCompanyId(request, access) : undefined
    const caller = { ...credentials, ip: clientAddressOf(request) }
    const session = await findLiveSession(database, caller, companyId, access, sessionStatement)
    request.liveSession = session?.row
    await decide(request, reply, requirements, { credentials, companyId, session })
  }

  async function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements,
    found: Found,
  ): Promise<void> {
    const { access, fresh } = requirements
    const { credentials, session } = found
    if (!session) {
      tokens.forgetSession(credentials.sessionId)
      throw problem('token_invalid')
    }
    const { name, email } = session
    const actor: Actor = { ...requestInfoOf(request), ...credentials, name, email, fresh }
    request.actor = actor
    if (session.must_change_password && access !== 'account with any password')
      throw problem('password_change_required')
    if (typeof access === 'object')
      await decideInCompany(request, reply, { ...requirements, access }, { ...found, session })
    await assertFreshSession(database, actor, session.proof, fresh)
  }

  async function decideInCompany(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements<CompanyAccess>,
    { companyId, session }: Found & { session: LiveSession },
  ): Promise<void> {
    const { access } = requirements
    const actor = request.actor as Actor
    const { authority = NO_AUTHORITY } = session
    if (!companyId) throw access.at ? invalidUuid(access.at) : problem('company_header_missing')
    // Who may be a member that has not opened the company is told apart under its lock.
    const isUnseen = access.company === 'any membership'
    const member: CompanyActor = { ...actor, companyId, ...authority, isUnseen }
    // A company learns of the attempts of those who have opened it. No request opens one behind a closed door.
    if (session.authority && session.isOpened && (session.isSuspended || session.closedBy)) request.actor = member
    if (session.authority && session.isSuspended) throw problem('company_suspended')
    if (session.authority && session.closedBy)
      throw await closedProblem(database.autocommit(asAccount(actor.accountId)), actor, session.closedBy)
    // A request that is refused opens nothing.
    if (session.authority && !session.isOpened && !isUnseen) assertAllowed(member, requirements)
    if (!(await canEnter(database, session, actor, companyId, access))) throw problem(noAccessCode(access))
    if (access.sameAs) assertSameCompany(request, access.sameAs, companyId)
    admit(request, reply, requirements, member)
  }

  async function gate(
    request: FastifyRequest,
    reply: FastifyReply,
    requirements: Requirements<CompanyAccess>,
  ): Promise<GatedRead> {
    const { access } = requirements
    const credentials = tokens.verify(request.headers.authorization)
    const companyId = findCompanyId(request, access)
    if (!companyId) {
      await check(request, reply, requirements)
      throw new Error('A request without a company passed the access check')
    }
    const { accountId } = credentials
    const caller = { ...credentials, ip: clientAddressOf(request) }
    const scope = inCompany(companyId, accountId)
    const { tx, decided, refused } = database.gatedReads({
      scope: asAccount(accountId),
      statement: companyGate(caller, companyId, requirements),
      async decide(row) {
        const { session, isOpen } = sessionAtGate(row as GateRow)
        await decide(request, reply, requirements, { credentials, companyId, session })
        return { scope, isEntered: isOpen }
      },
    })
    const actor = async () => {
      await decided()
      return request.actor as CompanyActor
    }
    return { tx, caller, actor, refused }
  }

  return { check, gate, admit }
}

/** The actor is a member: what it may do in the company is known, and decides. */
function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  requirements: Requirements<CompanyAccess>,
  actor: CompanyActor,
): void {
  request.actor = actor
  reply.header('x-permissions-version', permissionsVersionOf(actor))
  assertAllowed(actor, requirements)
}

function assertAllowed(actor: CompanyActor, { access, ownerOnly }: Requirements<CompanyAccess>): void {
  const required = permissionNeededFor(access)
  if (required) assertPermission(actor, required)
  if (ownerOnly && !actor.isOwner) throw problem('owner_only')
}

interface Found {
  credentials: SessionId
  companyId: string | undefined
  /** Undefined: it has ended. */
  session: LiveSession | undefined
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
  actor: Actor,
  companyId: string,
  { company }: CompanyAccess,
): Promise<boolean> {
  if (company === 'any membership') return isMember
  if (!authority || isOpened) return authority !== undefined
  return openCompany(database, actor, companyId)
}
