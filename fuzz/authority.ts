import type { DatabaseState, Membership } from './database-state.ts'
import type { HttpAnswer } from './http-client.ts'
import { isAllowed, isReceiver } from './permissions.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'

export interface Exchange {
  request: Request
  answer: HttpAnswer
}

/**
 * Whoever was served had to be: a good token, an open membership, the permission that the operation asks for. What was
 * begun and ended by requests of one moment is in neither truth: offers are, so they are judged where nothing else was sent.
 */
export function unauthorizedAnswers(
  { request, answer }: Exchange,
  before: DatabaseState,
  after: DatabaseState,
  isAlone: boolean,
): Violation[] {
  const { operation, caller, companyId } = request
  if (answer.status >= 400 || !operation?.secured) return []
  const violation = (about: string) => [{ rule: 'no service without the right', about: `${caller.name} ${about}` }]
  if (caller.credentials !== 'good') return violation(`was served with a token that is ${caller.credentials}`)
  if (!isAlone && operation.path.includes('ownership-transfer')) return []
  if ([before, after].some((state) => isAllowed(operation, state, companyId, caller.accountId))) return []
  return violation(`may not ${operation.permission ?? operation.id} in ${companyId}`)
}

/**
 * Nobody gives what they do not hold: whatever a member may do after these requests and not before was given by somebody
 * who was served in that company and held it there, or taken by the one whom the ownership was offered to.
 */
export function unauthorizedGrants(exchanges: Exchange[], before: DatabaseState, after: DatabaseState): Violation[] {
  return [...after.memberships.values()].flatMap((membership) => {
    const { companyId, accountId, active, permissions } = membership
    if (!active || !before.companies.has(companyId)) return []
    const changes = changesIn(exchanges, companyId)
    if (changes.some(({ request }) => acceptsOwnership(request, membership, before))) return []
    const earlier = before.memberships.get(`${companyId} ${accountId}`)
    const gained = [...permissions].filter((permission) => !holds(earlier, permission))
    const isGiver = ({ request: { caller } }: Exchange, permission: string) =>
      holds(before.memberships.get(`${companyId} ${caller.accountId}`), permission)
    const ungiven = gained.filter((permission) => !changes.some((change) => isGiver(change, permission)))
    if (ungiven.length === 0) return []
    return [{ rule: 'nobody gives what they do not hold', about: `${accountId} gained ${ungiven} in ${companyId}` }]
  })
}

/** Nobody becomes a member but by somebody who may add members, or by founding. */
export function unauthorizedMemberships(
  exchanges: Exchange[],
  before: DatabaseState,
  after: DatabaseState,
): Violation[] {
  return [...after.memberships].flatMap(([name, { companyId, accountId }]) => {
    if (before.memberships.has(name) || !before.companies.has(companyId)) return []
    const added = changesIn(exchanges, companyId).some(({ request: { caller, operation } }) => {
      const adds = operation?.permission === 'users:create'
      return adds && holds(before.memberships.get(`${companyId} ${caller.accountId}`), 'users:create')
    })
    return added ? [] : [{ rule: 'nobody joins unasked', about: `${accountId} became a member of ${companyId}` }]
  })
}

const changesIn = (exchanges: Exchange[], companyId: string) =>
  exchanges.filter(
    ({ request, answer }) => answer.status < 300 && request.method !== 'GET' && request.companyId === companyId,
  )

/** Whether the company is open does not matter: one that is taken back gives nobody more than before. */
const holds = (membership: Membership | undefined, permission: string) =>
  membership?.active === true && membership.permissions.has(permission)

const acceptsOwnership = ({ operation, caller }: Request, receiver: Membership, before: DatabaseState) =>
  operation?.id === 'acceptOwnershipTransfer' && caller.accountId === receiver.accountId && isReceiver(receiver, before)
