import { isPerson } from './callers.ts'
import type { DatabaseState, Membership } from './database-state.ts'
import type { HttpAnswer } from './http-client.ts'
import { isReplay } from './idempotency.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'
import { claimsOf, parsed, type World } from './world.ts'

/**
 * Another company's canary in an answer, or a stranger's: whoever asks sees only the companies that they are an active
 * member of, or may take back, and the people who are or were in them. `before` and `after`: what held around the request.
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
  const sent = `${plain(request.path)} ${request.body?.toString() ?? ''}`
  const requesters = requestersOf(world, request, sent)
  const open = companiesOf(requesters, ({ open }) => open, before, after)
  const restorable = companiesOf(requesters, ({ active, owner, opened }) => active && owner && opened, before, after)
  return seen.flatMap(([word, { companyId, accountId = '' }]) => {
    if (sent.includes(word)) return []
    if (companyId)
      return open.has(companyId) || restorable.has(companyId) ? [] : [leak(`of company ${companyId}`, request, answer)]
    const isKnown =
      requesters.has(accountId) || [...open].some((company) => world.everMembers.has(`${company} ${accountId}`))
    const emails = [before, after].map((state) => state.emails.get(accountId) ?? 'nobody')
    const isNamed = emails.some((email) => sent.toLowerCase().includes(email))
    return isKnown || isNamed ? [] : [leak(`of account ${accountId}`, request, answer)]
  })
}

/** A closed company is shown to its Owners, as closed, and to nobody else. */
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
    const isClosed = before.companies.get(id) === true && after.companies.get(id) === true
    if (!isClosed || (status === 'deleted' && isOwner(id))) return []
    return [{ rule: 'a closed company is gone', about: `${id} is shown to ${caller.name} as ${status}` }]
  })
}

function companiesShown(part: unknown): { id: string; status?: string }[] {
  if (part === null || typeof part !== 'object') return []
  const within = Object.values(part).flatMap(companiesShown)
  return 'slug' in part && 'id' in part ? [part as { id: string }, ...within] : within
}

const leak = (whose: string, { caller }: Request, { text }: HttpAnswer): Violation => ({
  rule: 'no leak',
  about: `a canary ${whose} in the answer to ${caller.name}: ${text.slice(0, 400)}`,
})

/** What an address says, where it can be read. */
function plain(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (text) => Buffer.from(text.replaceAll('%', ''), 'hex').toString())
}

/** Who speaks: the token's account, and at addresses for anyone those whose credentials the request carries. */
function requestersOf({ state, callers }: World, { caller, operation }: Request, sent: string): Set<string> {
  const requesters = new Set<string>(caller.credentials === 'good' && caller.accountId ? [caller.accountId] : [])
  if (operation?.secured !== false) return requesters
  for (const [id, email] of state.emails) if (sent.toLowerCase().includes(email)) requesters.add(id)
  for (const person of callers.filter(isPerson))
    if (sent.includes(person.refreshToken)) requesters.add(person.accountId)
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
