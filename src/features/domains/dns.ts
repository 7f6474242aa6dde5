import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises'

/** What the DNS says about the record of a domain. */
export type CheckResult = 'found' | 'missing' | 'different' | 'unanswered'

/** The record that proves a domain. Its value is no secret: only who controls the zone can publish it. */
export const recordOf = ({ name, token }: { name: string; token: string }) =>
  ({ type: 'TXT', name: `_tenantry.${name}`, value: `tenantry-domain=${token}` }) as const

const DEADLINE_MS = 2000
/** A lost packet is sent again within the deadline. */
const TIMEOUT_MS = 600
const TRIES = 3

/**
 * Whether one of the TXT records is exactly the expected one. A record of several strings is their concatenation (RFC 7208,
 * 3.3). Takes two seconds at most. `servers`: of DNS_SERVERS; empty: those of this machine.
 */
export async function checkRecord(servers: readonly string[], domain: { name: string; token: string }) {
  const { name, value } = recordOf(domain)
  return withResolver(servers, async (resolver): Promise<CheckResult> => {
    try {
      const records = await resolver.resolveTxt(name)
      // Of an alias alone.
      if (records.length === 0) return 'missing'
      return records.some((strings) => strings.join('') === value) ? 'found' : 'different'
    } catch (error) {
      return isNegative(error) ? 'missing' : 'unanswered'
    }
  })
}

/** Whether the name servers answer at all. When they don’t, an unanswered check says nothing about a domain. */
export async function canResolve(servers: readonly string[]): Promise<boolean> {
  return withResolver(servers, (resolver) =>
    resolver.resolveNs('.').then(
      () => true,
      (error) => isNegative(error),
    ),
  )
}

/** The server has answered that there is no such record. */
function isNegative(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === NODATA || code === NOTFOUND
}

/** Each check has a resolver of its own, because one keeps what it was answered for up to an hour. */
async function withResolver<Result>(
  servers: readonly string[],
  ask: (resolver: Resolver) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), DEADLINE_MS)
  try {
    return await ask(resolver)
  } finally {
    clearTimeout(timer)
  }
}
