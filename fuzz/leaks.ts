import { isPerson } from './callers.ts'
import type { Fault } from './judge.ts'
import type { Request } from './requests.ts'
import { isReplay } from './retries.ts'
import type { Membership, Truth } from './truth.ts'
import type { WireAnswer } from './wire.ts'
import { claimsOf, parsed, type World } from './world.ts'

/**
 * Another company's canary in an answer, or a stranger's: whoever asks sees only the companies that they are an active
 * member of, or may take back, and the people who are or were in them. `before` and `after`: what held around the request.
 */
export function leaks(world: World, request: Request, answer: WireAnswer, before: Truth, after: Truth): Fault[] {
  const seen = world.canaries.in(answer.text)
  if (seen.length === 0) return []
  const sent = `${plain(request.path)} ${request.body?.toString() ?? ''}`
  const askers = askersOf(world, request, sent)
  const open = companiesOf(askers, ({ open }) => open, before, after)
  const restorable = companiesOf(askers, ({ active, owner, opened }) => active && owner && opened, before, after)
  return seen.flatMap(([word, { companyId, accountId = '' }]) => {
    if (sent.includes(word)) return []
    if (companyId)
      return open.has(companyId) || restorable.has(companyId) ? [] : [leak(`of company ${companyId}`, request, answer)]
    const isKnown =
      askers.has(accountId) || [...open].some((company) => world.everMembers.has(`${company} ${accountId}`))
    const emails = [before, after].map((truth) => truth.emails.get(accountId) ?? 'nobody')
    const isNamed = emails.some((email) => sent.toLowerCase().includes(email))
    return isKnown || isNamed ? [] : [leak(`of account ${accountId}`, request, answer)]
  })
}

/** A closed company is shown to its Owners, as closed, and to nobody else. */
export function closedShown({ caller }: Request, answer: WireAnswer, before: Truth, after: Truth): Fault[] {
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

const leak = (whose: string, { caller }: Request, { text }: WireAnswer): Fault => ({
  rule: 'no leak',
  about: `a canary ${whose} in the answer to ${caller.name}: ${text.slice(0, 400)}`,
})

/** What an address says, where it can be read. */
function plain(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (text) => Buffer.from(text.replaceAll('%', ''), 'hex').toString())
}

/** Who speaks: the token's account, and at addresses for anyone those whose credentials the request carries. */
function askersOf({ truth, callers }: World, { caller, operation }: Request, sent: string): Set<string> {
  const askers = new Set<string>(caller.standing === 'good' && caller.accountId ? [caller.accountId] : [])
  if (operation?.secured !== false) return askers
  for (const [id, email] of truth.emails) if (sent.toLowerCase().includes(email)) askers.add(id)
  for (const person of callers.filter(isPerson)) if (sent.includes(person.refreshToken)) askers.add(person.accountId)
  for (const token of sent.match(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g) ?? []) askers.add(claimsOf(token).sub ?? '')
  return askers
}

function companiesOf(askers: Set<string>, counts: (one: Membership) => boolean, ...truths: Truth[]): Set<string> {
  const memberships = truths.flatMap(({ memberships }) => [...memberships.values()])
  return new Set(
    memberships.filter((one) => counts(one) && askers.has(one.accountId)).map(({ companyId }) => companyId),
  )
}
