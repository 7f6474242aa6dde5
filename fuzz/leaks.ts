import { isPerson } from './callers.ts'
import type { DatabaseState, Membership } from './database-state.ts'
import type { HttpAnswer } from './http-client.ts'
import { isReplay } from './idempotency.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'
import { claimsOf, parsed, type World } from './world.ts'

/**
 * Canaries of other companies and of strangers in an answer. A requester may see the companies in which the account is an
 * active member, suspended ones included, or which it may restore, and the present and former members of the first. Either state around the request counts.
 */
export function leaks(
  world: World,
  request: Request,
  answer: HttpAnswer,
  before: DatabaseState,
  after: DatabaseState,
): Violation[] {
  const seen = world.canaries.in(answer.text)
  if (seen.length === 0) return []
  const cookies = request.headers.filter(([name]) => name === 'cookie').map(([, value]) => value)
  const sent = `${plain(request.path)} ${request.body?.toString() ?? ''} ${cookies}`
  const requesters = requestersOf(world, request, sent, answer)
  const open = companiesOf(requesters, ({ open }) => open, before, after)
  const restorable = companiesOf(requesters, ({ active, owner, opened }) => active && owner && opened, before, after)
  const suspended = companiesOf(requesters, ({ suspended }) => suspended, before, after)
  const joined = JOINING.includes(request.operation?.id ?? '')
    ? companiesOf(requesters, () => true, before, after)
    : open
  return seen.flatMap(([word, { companyId, accountId = '' }]) => {
    if (sent.includes(word)) return []
    if (SHOWN_TO_INVITED.includes(request.operation?.id ?? '')) return []
    if (companyId)
      return [open, restorable, suspended, joined].some((shown) => shown.has(companyId))
        ? []
        : [leak(`of company ${companyId}`, request, answer)]
    const isKnown =
      requesters.has(accountId) || [...open].some((company) => world.everMembers.has(`${company} ${accountId}`))
    const emails = [before, after].map((state) => state.emails.get(accountId) ?? 'no address')
    // By the address that was invited, which the account may have given up since.
    const isInvited = [...before.invited, ...after.invited].some(
      ({ companyId, email }) => open.has(companyId) && email.includes(word),
    )
    const isNamed = emails.some((email) => sent.toLowerCase().includes(email))
    return isKnown || isInvited || isNamed ? [] : [leak(`of account ${accountId}`, request, answer)]
  })
}

/** What shows company and inviter to the person who was invited: with the token, or by the verified address. */
const SHOWN_TO_INVITED = ['previewInvitation', 'previewInvitationLink', 'listOwnInvitations']

/** What answers with the company and the own roles to everyone who comes in by a link, a member who is inactive included. */
const JOINING = ['joinByInvitationLink', 'acceptInvitation', 'acceptOwnInvitation', 'joinCompany']

/** A deleted company is shown to its owners only, with the status `deleted`. */
export function deletedCompaniesShown(
  { caller }: Request,
  answer: HttpAnswer,
  before: DatabaseState,
  after: DatabaseState,
): Violation[] {
  if (answer.status >= 300 || isReplay(answer) || !answer.text.includes('"slug"')) return []
  const isOwner = (id: string) => {
    const membership = before.memberships.get(`${id} ${caller.accountId}`)
    return membership?.owner && membership.opened
  }
  return companiesShown(parsed(answer.text)).flatMap(({ id, status }) => {
    const isDeleted = before.companies.get(id) === true && after.companies.get(id) === true
    if (!isDeleted || (status === 'deleted' && isOwner(id))) return []
    return [{ rule: 'a deleted company is hidden', about: `${id} is shown to ${caller.name} as ${status}` }]
  })
}

function companiesShown(part: unknown): { id: string; status?: string }[] {
  if (part === null || typeof part !== 'object') return []
  const within = Object.values(part).flatMap(companiesShown)
  return 'slug' in part && 'id' in part ? [part as { id: string }, ...within] : within
}

const leak = (owner: string, { caller }: Request, { text }: HttpAnswer): Violation => ({
  rule: 'no leak',
  about: `a canary ${owner} in the answer to ${caller.name}: ${text.slice(0, 400)}`,
})

/** Decodes a path as far as possible. */
function plain(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (text) => Buffer.from(text.replaceAll('%', ''), 'hex').toString())
}

/** The accounts behind a request: the token's, and for public operations those whose credentials it contains or that it signs in. */
function requestersOf(
  { state, callers, challenges, passkeys }: World,
  { caller, operation }: Request,
  sent: string,
  answer: HttpAnswer,
): Set<string> {
  const requesters = new Set<string>(caller.credentials === 'valid' && caller.accountId ? [caller.accountId] : [])
  if (operation?.secured !== false) return requesters
  for (const [id, email] of state.emails) if (sent.toLowerCase().includes(email)) requesters.add(id)
  for (const person of callers.filter(isPerson))
    if (sent.includes(person.refreshToken)) requesters.add(person.accountId)
  // All challenges are of the accounts with authenticator apps.
  if (challenges.some((challenge) => sent.includes(challenge)))
    for (const { apps, accountId = '' } of callers) if (apps) requesters.add(accountId)
  for (const accountId of passkeys.accountsIn(sent)) requesters.add(accountId)
  const { accessToken } = (parsed(answer.text) as { data?: { accessToken?: string } } | undefined)?.data ?? {}
  if (accessToken) requesters.add(claimsOf(accessToken).sub ?? '')
  for (const token of sent.match(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g) ?? []) requesters.add(claimsOf(token).sub ?? '')
  return requesters
}

function companiesOf(
  requesters: Set<string>,
  counts: (one: Membership) => boolean,
  ...states: DatabaseState[]
): Set<string> {
  const memberships = states.flatMap(({ memberships }) => [...memberships.values()])
  return new Set(
    memberships.filter((one) => counts(one) && requesters.has(one.accountId)).map(({ companyId }) => companyId),
  )
}
