import { expectedClosed, type ModelSession } from '../test/support/policy-model.ts'
import type { Caller } from './callers.ts'
import type { DatabaseState, Membership } from './database-state.ts'
import type { Operation } from './document.ts'

/** The rules of operations without a permission, from their published descriptions. */
const specialRules: Record<string, (membership: Membership, state: DatabaseState) => boolean> = {
  restoreCompany: ({ active, owner, opened }) => active && owner && opened,
  leaveCompany: ({ companyId }, { companies }) => companies.get(companyId) === false,
  offerOwnershipTransfer: ({ open, owner }) => open && owner,
  cancelOwnershipTransfer: ({ open, owner }) => open && owner,
  addDomain: ({ open, owner }) => open && owner,
  verifyDomain: ({ open, owner }) => open && owner,
  updateDomain: ({ open, owner }) => open && owner,
  deleteDomain: ({ open, owner }) => open && owner,
  getOwnershipTransfer: (member, state) => member.open && (member.owner || isReceiver(member, state)),
  acceptOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
  declineOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
}

/** What a request is made with. */
type Sender = Pick<Caller, 'accountId' | 'sessionId'>

/** Whether the caller may call the operation in this company, according to the database. */
export const isAllowed = (
  operation: Operation,
  state: DatabaseState,
  companyId: string | undefined,
  caller: Sender,
): boolean => refusals(operation, state, companyId, caller).length === 0

/** Why the caller may not call the operation in this company, according to the database. */
export function refusals(
  operation: Operation,
  state: DatabaseState,
  companyId: string | undefined,
  { accountId, sessionId = '' }: Sender,
): string[] {
  if (!operation.secured) return []
  const session = state.sessions.get(sessionId)
  if (!session?.live) return ['its session has ended']
  const reasons = lacksProof(operation, state, session) ? ['a fresh proof was missing'] : []
  const ownRule = specialRules[operation.id]
  if (!ownRule && !operation.permission && !operation.forMembers) return reasons
  const membership = state.memberships.get(`${companyId} ${accountId}`)
  if (!membership) return [...reasons, 'it is no member']
  const { open, permissions } = membership
  const may = ownRule
    ? ownRule(membership, state)
    : open && (operation.permission === undefined || permissions.has(operation.permission))
  if (!may) reasons.push(`${operation.permission ?? operation.id} was missing`)
  return [...reasons, ...(operation.id === 'leaveCompany' ? [] : shutOut(operation, state, membership, session))]
}

/** What dangerous operations ask for, by their descriptions. */
const PROOF_MS = 10 * 60_000

function lacksProof({ proof }: Operation, { now }: DatabaseState, session: ModelSession): boolean {
  if (!proof || (proof === 'of a second factor' && !session.hasSecondFactor)) return false
  return ageOfProof(session, now) >= PROOF_MS
}

function ageOfProof({ hasSecondFactor, secondFactorAt, authenticatedAt }: ModelSession, now: number): number {
  const at = hasSecondFactor ? secondFactorAt : authenticatedAt
  return at === null ? Number.POSITIVE_INFINITY : now - at
}

/** By the policy of the company. All requests come from this machine. */
function shutOut(
  { method }: Operation,
  { policies, now }: DatabaseState,
  { companyId, roles }: Membership,
  session: ModelSession,
): string[] {
  const policy = policies.get(companyId)
  if (!policy) return []
  const code = expectedClosed(policy, session, { roles, address: '127.0.0.1', now })
  const isStale = method !== 'GET' && policy.stepUpMs !== null && ageOfProof(session, now) >= policy.stepUpMs
  return [...(code ? [`the policy says ${code}`] : []), ...(isStale ? ['a proof for changes was missing'] : [])]
}

export const isReceiver = ({ companyId, accountId }: Membership, { offers }: DatabaseState) =>
  offers.get(companyId)?.to === accountId
