import net from 'node:net'
import type { ClosedCode } from '../../src/access/policies.ts'

// What a policy keeps out, written a second time from its description alone, so that tests can hold the service against it.

/** A policy by the columns of its company; null asks for nothing. Times in milliseconds since 1970. */
export interface ModelPolicy {
  factorFrom: number | null
  /** The keys of system roles and the ids of others. */
  factorRoles: string[] | null
  ageMs: number | null
  pauseMs: number | null
  networks: string[] | null
  passwords: number[] | null
}

/** What a session has proved, and who asks with it. */
export interface ModelSession {
  hasSecondFactor: boolean
  secondFactorAt: number | null
  authenticatedAt: number
  longestPauseMs: number
  passwordClass: number | null
}

/** The first thing that the policy has against the session, in the order of the problems; undefined: it is let in. */
export function expectedClosed(
  policy: ModelPolicy,
  session: ModelSession,
  { roles, address, now }: { roles: readonly string[]; address: string; now: number },
): ClosedCode | undefined {
  if (policy.networks && !policy.networks.some((network) => isIn(network, address))) return 'network_not_allowed'
  const hasProvedFactor = session.hasSecondFactor && session.secondFactorAt !== null
  if (asksFactor(policy, roles, now) && !hasProvedFactor) return 'second_factor_required_by_company'
  const provedAt = session.hasSecondFactor ? session.secondFactorAt : session.authenticatedAt
  if (policy.ageMs !== null && (provedAt === null || provedAt <= now - policy.ageMs)) return 'reauthentication_required'
  if (policy.pauseMs !== null && session.longestPauseMs > policy.pauseMs) return 'reauthentication_required'
  if (policy.passwords && !policy.passwords.includes(session.passwordClass ?? -1))
    return 'password_too_weak_for_company'
  return undefined
}

/** Whether members with these roles need a second factor at that moment. */
export const asksFactor = (
  { factorFrom, factorRoles }: ModelPolicy,
  roles: readonly string[],
  moment: number,
): boolean =>
  factorFrom !== null && factorFrom <= moment && (!factorRoles || factorRoles.some((role) => roles.includes(role)))

function isIn(network: string, address: string): boolean {
  const [start = '', bits = ''] = network.split('/')
  const family = (text: string) => (net.isIPv4(text) ? 'ipv4' : 'ipv6')
  const list = new net.BlockList()
  list.addSubnet(start, Number(bits), family(start))
  return family(start) === family(address) && list.check(address, family(address))
}

/** Columns of a query over `companies`, for a ModelPolicy. The beginning of time is 0. */
export const MODEL_POLICY_COLUMNS = `
  case when isfinite(policy_factor_from) then extract(epoch from policy_factor_from) * 1000
    when policy_factor_from is not null then 0 end::float8 as "factorFrom",
  policy_factor_roles as "factorRoles", (extract(epoch from policy_age) * 1000)::float8 as "ageMs",
  (extract(epoch from policy_pause) * 1000)::float8 as "pauseMs", policy_networks::text[] as networks,
  to_json(policy_passwords) as passwords`

/** The same over `sessions` and `accounts`. */
export const MODEL_SESSION_COLUMNS = `
  has_second_factor as "hasSecondFactor", (extract(epoch from second_factor_at) * 1000)::float8 as "secondFactorAt",
  (extract(epoch from authenticated_at) * 1000)::float8 as "authenticatedAt",
  (extract(epoch from longest_pause) * 1000)::float8 as "longestPauseMs", password_class as "passwordClass"`
