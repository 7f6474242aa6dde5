import type { Fault } from './judge.ts'
import type { Request } from './requests.ts'
import type { Membership, Truth } from './truth.ts'
import type { WireAnswer } from './wire.ts'

export interface Exchange {
  request: Request
  answer: WireAnswer
}

/** Whoever was served had to be: a good token, an open membership, the permission that the operation asks for. */
export function servedWrongly({ request, answer }: Exchange, before: Truth, after: Truth): Fault[] {
  const { operation, caller, companyId } = request
  if (answer.status >= 300 || !operation?.secured) return []
  const fault = (about: string) => [{ rule: 'no service without the right', about: `${caller.name} ${about}` }]
  if (caller.standing !== 'good') return fault(`was served with a token that is ${caller.standing}`)
  if (operation.permission === undefined) return []
  const name = `${companyId} ${caller.accountId}`
  const held = [before, after].some(({ memberships }) => holds(memberships.get(name), operation.permission as string))
  return held ? [] : fault(`does not hold ${operation.permission} in ${companyId}`)
}

const holds = (membership: Membership | undefined, permission: string) =>
  membership?.open === true && membership.permissions.has(permission)

/** Operations by which somebody takes what was offered to them, so that it is not they who give. */
const ACCEPTANCE = /accept/

/**
 * Nobody gives what they do not hold: whatever a member may do after these requests and not before was given by somebody
 * who was served and held it in that company, before or by one of these requests.
 */
export function gainedWrongly(exchanges: Exchange[], before: Truth, after: Truth): Fault[] {
  const changes = exchanges.filter(({ request, answer }) => answer.status < 300 && request.method !== 'GET')
  const isGiver = ({ request: { caller } }: Exchange, companyId: string, permission: string) =>
    holds(before.memberships.get(`${companyId} ${caller.accountId}`), permission)
  return [...after.memberships].flatMap(([name, { companyId, accountId, open, permissions }]) => {
    if (!open || !before.companies.has(companyId)) return []
    const earlier = before.memberships.get(name)
    const gained = [...permissions].filter((permission) => !holds(earlier, permission))
    const ungiven = gained.filter(
      (permission) =>
        !changes.some((change) => isGiver(change, companyId, permission)) &&
        !changes.some(({ request }) => ACCEPTANCE.test(request.path)),
    )
    if (ungiven.length === 0) return []
    return [{ rule: 'nobody gives what they do not hold', about: `${accountId} gained ${ungiven} in ${companyId}` }]
  })
}

/** Nobody becomes a member but by somebody who may add members, or by founding. */
export function joinedWrongly(exchanges: Exchange[], before: Truth, after: Truth): Fault[] {
  const served = exchanges.filter(({ answer }) => answer.status < 300)
  return [...after.memberships].flatMap(([name, { companyId, accountId }]) => {
    if (before.memberships.has(name) || !before.companies.has(companyId)) return []
    const added = served.some(({ request: { caller, operation } }) => {
      const adds = operation?.permission === 'users:create'
      return adds && holds(before.memberships.get(`${companyId} ${caller.accountId}`), 'users:create')
    })
    return added ? [] : [{ rule: 'nobody joins unasked', about: `${accountId} became a member of ${companyId}` }]
  })
}
