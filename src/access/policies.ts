import type { Tx } from '../database/open.ts'
import { statement } from '../database/queries.ts'
import { domainVouchingFor } from '../lib/emails.ts'
import { type Problem, problem } from '../problems.ts'
import type { SessionId } from './actors.ts'

/** Why the policy of a company keeps a session out, in the order in which the database asks (closed_by). */
export const closedCodes = [
  'network_not_allowed',
  'second_factor_required_by_company',
  'reauthentication_required',
  'password_too_weak_for_company',
] as const

export type ClosedCode = (typeof closedCodes)[number]

/**
 * An expression over `accounts`, `sessions` and `own`, a row of usable_memberships: the code, or null for a session that the
 * company lets in. `address`: the parameter with the address of the request.
 */
export const closedBy = (address: string) =>
  `closed_by(own.company, sessions, accounts.has_second_factor, own.grants, ${address}::inet)`

/** The same for the moment, still to come, from which the company asks the account for a second factor that it lacks, or null. */
export const factorAskedFrom = `case
  when (own.company).has_policy and not accounts.has_second_factor and (own.company).policy_factor_from > now()
    and asks_second_factor(own.company, own.grants, 'infinity') then (own.company).policy_factor_from end`

/** With the methods by which the caller can give what is missing, where a proof is. */
export async function closedProblem(
  tx: Tx,
  { sessionId }: Pick<SessionId, 'sessionId'>,
  code: ClosedCode,
): Promise<Problem> {
  if (code === 'network_not_allowed' || code === 'password_too_weak_for_company') return problem(code)
  const [proof] = await findMethods(tx, sessionId)
  const isEnrolled = code === 'reauthentication_required' || proof?.has_second_factor === true
  return problem(code, { methods: isEnrolled ? (proof?.methods ?? []) : [] })
}

/**
 * For a route of an account that acts in a company: throws unless the policy of the current company would let the session in, from any
 * address.
 */
export async function assertLetInFromAnywhere(tx: Tx, { sessionId, ip }: SessionId & { ip: string }): Promise<void> {
  const [found] = await findClosedFromAnywhere(tx, sessionId, ip)
  if (found?.code) throw await closedProblem(tx, { sessionId }, found.code)
}

const findClosedFromAnywhere = statement<{ code: ClosedCode | null }, [sessionId: string, address: string]>(
  `select session_closed_by($1, $2, '{"policy_networks": null}') as code`,
)

const findMethods = statement<{ has_second_factor: boolean; methods: string[] }, [sessionId: string]>(
  'select has_second_factor, methods from session_proof($1)',
)

/** How an account becomes a member: by its own consent, or added at once. */
export type Joining = 'invitation' | 'addition'

/** Of the columns of a company: which domains the addresses of new members may have. */
export interface AllowedDomains {
  policy_domains: string[] | null
  policy_domains_for: 'invitations' | 'invitations_and_additions'
}

export const domainColumns = ['policy_domains', 'policy_domains_for'] as const

/** Throws unless the current company lets an account with this address become a member in this way. */
export async function assertDomainAllowed(tx: Tx, email: string, joining: Joining): Promise<void> {
  if (!(await isDomainAllowed(tx, email, joining))) throw problem('domain_not_allowed')
}

export async function isDomainAllowed(tx: Tx, email: string, joining: Joining): Promise<boolean> {
  const company = await tx.selectFrom('companies').select(domainColumns).executeTakeFirstOrThrow()
  return allowsDomain(company, email, joining)
}

/** By columns that were read along with others. Subdomains are domains of their own. */
export function allowsDomain(company: AllowedDomains, email: string, joining: Joining): boolean {
  return !asksDomain(company, joining) || company.policy_domains?.includes(domainVouchingFor(email)) === true
}

export const asksDomain = ({ policy_domains, policy_domains_for }: AllowedDomains, joining: Joining): boolean =>
  policy_domains !== null && (joining === 'invitation' || policy_domains_for === 'invitations_and_additions')
