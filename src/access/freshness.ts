import type { Database, Tx } from '../database/open.ts'
import { statement } from '../database/queries.ts'
import { asAccount } from '../database/scopes.ts'
import { problem } from '../problems.ts'
import type { SessionId } from './actors.ts'
import { type Authority, authorityOf, type RoleGrant } from './authority.ts'
import type { Permission } from './permissions.ts'
import type { Fresh } from './requirements.ts'
import { systemRoles } from './system-roles.ts'

/** What a session has proved of what dangerous routes ask for. */
export interface SessionProof {
  has_second_factor: boolean
  /** The age of its last second factor or, where the account has none, of its last password. Null: there was none. */
  proof_seconds: number | null
}

/** What is asked of accounts with a second factor before what a stolen token must not do. */
export const WITH_FACTOR: Fresh = { minutes: 10, onlyWithFactor: true }

/** What is asked of every account before a change of what opens it, or of who is let into a company. */
export const FRESH: Fresh = { minutes: 10 }

/** Columns of a query over `accounts` and `sessions`, by the database's clock. */
export const PROOF_COLUMNS = `accounts.has_second_factor, extract(epoch from now() - case when accounts.has_second_factor
  then sessions.second_factor_at else sessions.authenticated_at end)::float8 as proof_seconds`

export function isFresh(
  { has_second_factor, proof_seconds }: SessionProof,
  { minutes, onlyWithFactor, minutesWithoutFactor = minutes }: Fresh,
): boolean {
  if (onlyWithFactor && !has_second_factor) return true
  return proof_seconds !== null && proof_seconds < (has_second_factor ? minutes : minutesWithoutFactor) * 60
}

/** Throws, with the methods by which the account can give the proof, unless the session has given it recently. */
export async function assertFresh(tx: Tx, session: SessionId, fresh: Fresh): Promise<void> {
  const proof = await getProof(tx, session)
  if (!isFresh(proof, fresh)) throw problem('reauthentication_required', { methods: proof.methods })
}

/** What Member gives. Everybody in a company may read that, and who lets people in every day is not asked each time. */
const ORDINARY: ReadonlySet<Permission> = new Set(
  systemRoles.filter(({ key }) => key === 'member').flatMap(({ permissions }) => permissions),
)

/**
 * Given by a fresh session alone. A thief of a token would otherwise give it to an account of their own, which has it for longer
 * than the token lives, and whose session is fresh.
 */
export const isEntrusted = (permission: Permission): boolean => !ORDINARY.has(permission)

const NOTHING: Authority = { permissions: new Set(), isOwner: false }

/** Before people get `next` who have `held`: throws unless the session may make owners and give more than Member does. */
export async function assertCanEntrust(
  tx: Tx,
  session: SessionId,
  next: Authority,
  held: Authority = NOTHING,
): Promise<void> {
  const more = next.permissions.difference(held.permissions)
  if ((next.isOwner && !held.isOwner) || [...more].some(isEntrusted)) await assertFresh(tx, session, WITH_FACTOR)
}

/** The same before a member gives these roles to another person. */
export async function assertCanGive(tx: Tx, session: SessionId, roles: readonly RoleGrant[]): Promise<void> {
  await assertCanEntrust(tx, session, authorityOf(roles))
}

/** The same by what was read with the session; the methods are looked up for a refusal alone. */
export async function assertFreshSession(
  database: Database,
  id: SessionId,
  proof: SessionProof,
  fresh: Fresh | undefined,
): Promise<void> {
  if (fresh && !isFresh(proof, fresh)) await assertFresh(database.autocommit(asAccount(id.accountId)), id, fresh)
}

/** Of a session of the current account. */
export async function getProof(tx: Tx, { sessionId }: SessionId): Promise<SessionProof & { methods: string[] }> {
  const [proof] = await findProof(tx, sessionId)
  if (!proof) throw problem('token_invalid')
  return proof
}

const findProof = statement<SessionProof & { methods: string[] }, [sessionId: string]>(
  'select proof_seconds, has_second_factor, methods from session_proof($1)',
)
