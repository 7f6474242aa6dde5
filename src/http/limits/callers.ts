import type { Config } from '../../config/config.ts'
import { WindowCounter } from '../../lib/window-counter.ts'
import type { TokenSubject, TokenVerifier } from '../token-verifier.ts'
import type { Count, Limit } from './counters.ts'

/** So many accounts at their limit may share one address. */
const ACCOUNTS_PER_ADDRESS = 20
const WINDOW_SECONDS = 60

const perMinute = (name: string, requests: number): Limit => ({ name, requests, perSeconds: WINDOW_SECONDS })

/** What a request from this network counts for, besides the limit of its route. */
export type CountsOf = (authorization: string | undefined, network: string) => Count[]

/** Undefined: the request has no genuine access token, or none that is verified for this network. */
export type SubjectOf = (authorization: string | undefined, network: string) => TokenSubject | undefined

/**
 * Every request counts for its network. With RATE_LIMIT_SIGNED_IN_PER_MINUTE, one with a genuine access token counts for its
 * account instead, and for its network within a wider limit. See docs/decisions/0036-limits.md.
 */
export function countByCaller(
  { perMinute: requests, signedInPerMinute }: Config['rateLimit'],
  subjectOf: SubjectOf,
): CountsOf {
  const general = perMinute('general', requests)
  if (signedInPerMinute === undefined) return (_, network) => [{ limit: general, name: network }]
  const account = perMinute('account', signedInPerMinute)
  const address = perMinute('address', signedInPerMinute * ACCOUNTS_PER_ADDRESS)
  return (authorization, network) => {
    const subject = subjectOf(authorization, network)
    if (!subject) return [{ limit: general, name: network }]
    // What exceeds the limit of its account uses up nothing of the others at that address.
    return [
      { limit: account, name: subject.accountId },
      { limit: address, name: network, unlessExceeded: true },
    ]
  }
}

/**
 * Verifying a signature costs more than refusing a request. A network that has sent many forged tokens within a minute gets
 * no more signatures verified for it; tokens that are known to be genuine are not affected.
 */
export function boundedVerification(tokens: TokenVerifier, forgedMax: number): SubjectOf {
  const forged = new WindowCounter(WINDOW_SECONDS * 1000)
  return (authorization, network) => {
    if (authorization === undefined) return undefined
    const found = tokens.find(authorization, { onlyKnown: forged.read(network).count >= forgedMax })
    if (found === 'forged') forged.count(network)
    return found === 'forged' ? undefined : found
  }
}
