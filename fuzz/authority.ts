import type { DatabaseState, Membership } from './database-state.ts'
import type { HttpAnswer } from './http-client.ts'
import { isReceiver, refusals } from './permissions.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'

export interface Exchange {
  request: Request
  answer: HttpAnswer
}

/**
 * A success needs a live session with the proofs that the operation asks for, an open membership, the permission, and a policy
 * of the company that lets the session in, before or after the requests. An ownership offer can come and go between parallel requests, so it is checked for single requests only.
 */
export function unauthorizedAnswers(
  { request, answer }: Exchange,
  before: DatabaseState,
  after: DatabaseState,
  isAlone: boolean,
): Violation[] {
  const { operation, caller, companyId } = request
  if (answer.status >= 400 || !operation?.secured) return []
  const violation = (about: string) => [{ rule: 'success needs a permission', about: `${caller.name} ${about}` }]
  if (caller.credentials !== 'valid') return violation(`was served with ${caller.credentials} credentials`)
  if (!isAlone && operation.path.includes('ownership-transfer')) return []
  const [earlier, later] = [before, after].map((state) => refusals(operation, state, companyId, caller))
  // Parallel requests can open and close a door between two looks.
  const lasting = earlier?.filter((reason) => later?.includes(reason) && (isAlone || !reason.startsWith('the policy')))
  return lasting?.length ? violation(`was served ${operation.id} in ${companyId}, although ${lasting.join(', ')}`) : []
}

/**
 * Only held permissions can be granted: each permission that a member has gained comes from a successful request of a
 * member who held it in that company, or from accepting the offered ownership.
 */
export function unauthorizedGrants(exchanges: Exchange[], before: DatabaseState, after: DatabaseState): Violation[] {
  return [...after.memberships.values()].flatMap((membership) => {
    const { companyId, accountId, active, permissions } = membership
    if (!active || !before.companies.has(companyId)) return []
    const changes = changesIn(exchanges, companyId)
    if (changes.some(({ request }) => acceptsOwnership(request, membership, before))) return []
    if (changes.some(({ request }) => joins(request, membership))) return []
    const earlier = before.memberships.get(`${companyId} ${accountId}`)
    const invited = isInvited(exchanges, membership) ? permissionsOffered(membership, before, after) : new Set()
    const gained = [...permissions].filter((each) => !hasPermission(earlier, each) && !invited.has(each))
    const isGiver = ({ request: { caller } }: Exchange, permission: string) =>
      hasPermission(before.memberships.get(`${companyId} ${caller.accountId}`), permission)
    const ungiven = gained.filter((permission) => !changes.some((change) => isGiver(change, permission)))
    if (ungiven.length === 0) return []
    return [{ rule: 'only held permissions are granted', about: `${accountId} gained ${ungiven} in ${companyId}` }]
  })
}

/** A new membership needs a successful request with `users:create`, one of the account that joins, or a new company. */
export function unauthorizedMemberships(
  exchanges: Exchange[],
  before: DatabaseState,
  after: DatabaseState,
): Violation[] {
  return [...after.memberships].flatMap(([name, { companyId, accountId }]) => {
    if (before.memberships.has(name) || !before.companies.has(companyId)) return []
    const isOffered = offersFor({ companyId, accountId }, before, after).length > 0
    if (isOffered && isInvited(exchanges, { companyId, accountId })) return []
    const added = changesIn(exchanges, companyId).some(({ request: { caller, operation } }) => {
      if (operation?.id === 'joinCompany' && caller.accountId === accountId) return true
      const adds = operation?.permission === 'users:create'
      return adds && hasPermission(before.memberships.get(`${companyId} ${caller.accountId}`), 'users:create')
    })
    return added
      ? []
      : [{ rule: 'a new membership needs users:create', about: `${accountId} became a member of ${companyId}` }]
  })
}

const ACCEPTING = ['acceptInvitation', 'acceptOwnInvitation', 'joinByInvitationLink', 'registerInvited']

/** The account has answered an invitation or used a link of this company; whether it was allowed to, the tests of the feature check. */
const isInvited = (exchanges: Exchange[], { companyId, accountId }: Pick<Membership, 'companyId' | 'accountId'>) =>
  exchanges.some(
    ({ request: { caller, operation }, answer }) =>
      answer.status < 300 &&
      ACCEPTING.includes(operation?.id ?? '') &&
      answer.text.includes(companyId) &&
      (caller.accountId === accountId || answer.text.includes(accountId)),
  )

/** Invitations to an address of the account, and links, of before the requests. */
function offersFor({ companyId, accountId }: Pick<Membership, 'companyId' | 'accountId'>, ...states: DatabaseState[]) {
  const emails = states.map(({ emails }) => emails.get(accountId))
  return (states[0]?.invitations ?? []).filter(
    (offer) => offer.companyId === companyId && (offer.email === null || emails.includes(offer.email)),
  )
}

const permissionsOffered = (membership: Membership, before: DatabaseState, after: DatabaseState) =>
  new Set(offersFor(membership, before, after).flatMap(({ permissions }) => permissions))

const changesIn = (exchanges: Exchange[], companyId: string) =>
  exchanges.filter(
    ({ request, answer }) => answer.status < 300 && request.method !== 'GET' && request.companyId === companyId,
  )

/** Memberships of a deleted company count, too: restoring it gives them back. */
const hasPermission = (membership: Membership | undefined, permission: string) =>
  membership?.active === true && membership.permissions.has(permission)

/** What joining gives is for an owner of the company to choose, and for the tests of the feature to check. */
const joins = ({ operation, caller }: Request, { accountId }: Membership) =>
  operation?.id === 'joinCompany' && caller.accountId === accountId

const acceptsOwnership = ({ operation, caller }: Request, receiver: Membership, before: DatabaseState) =>
  operation?.id === 'acceptOwnershipTransfer' && caller.accountId === receiver.accountId && isReceiver(receiver, before)
