import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { networkOf } from '../../lib/networks.ts'
import type { Counted } from '../../lib/window-counter.ts'
import { problem } from '../../problems.ts'
import { countLimited } from '../limit-counts.ts'
import { countedAddressOf } from '../request-info.ts'
import type { TokenVerifier } from '../token-verifier.ts'
import { boundedVerification, countByCaller } from './callers.ts'
import type { Count, Limit } from './counters.ts'
import { type CounterDeps, openCounters } from './open-counters.ts'

/** A limit of one route, in addition to the general one. Routes with the same name share the count. */
export interface RouteLimit extends Limit {
  /** What the requests are counted by: the network that they come from, unless it is their session or their account. */
  by?: 'session' | 'account'
}

const UNLIMITED_ROUTES =
  /^\/($|api\/(health|docs)(\/|$)|api\/docs-json$|\.well-known\/|pages\/|console\/|dev\/mail|(verify-email|reset-password|undo-(email|factor)-change|cancel-factor-reset|invitation)$)/

/** Takes the route's pattern and not the URL, which has many spellings. */
export const isRateLimited = (route: string) => !UNLIMITED_ROUTES.test(route)

export interface Limits {
  /** Counts a request against every limit that applies; throws or rejects when one is exceeded. */
  count(request: FastifyRequest, reply: FastifyReply, routeLimit?: RouteLimit): Promise<void> | undefined
  close(): void
}

export interface LimitDeps extends CounterDeps {
  config: Pick<Config, 'rateLimit' | 'redisUrl'>
  tokens: TokenVerifier
}

export const unlimited: Limits = { count: () => undefined, close() {} }

export async function openLimits(deps: LimitDeps): Promise<Limits> {
  if (!deps.config.rateLimit.enabled) return unlimited
  const counters = await openCounters(deps)
  const subjectOf = boundedVerification(deps.tokens, deps.config.rateLimit.perMinute)
  const countsOf = countByCaller(deps.config.rateLimit, subjectOf)
  return {
    count(request, reply, routeLimit) {
      const network = networkOf(countedAddressOf(request))
      const { authorization } = request.headers
      const counts = countsOf(authorization, network)
      if (routeLimit) {
        const subject = routeLimit.by && subjectOf(authorization, network)
        const name = subject && (routeLimit.by === 'account' ? subject.accountId : subject.sessionId)
        counts.push({ limit: routeLimit, name: name ?? network, isOfRoute: true })
      }
      const counted = counters.count(counts)
      if (counted instanceof Promise) return counted.then((known) => decide(counts, known, reply))
      return decide(counts, counted, reply)
    },
    close: () => counters.close(),
  }
}

/** Says in headers what is left, and refuses a request that is too many. */
function decide(counts: Count[], counted: Counted[], reply: FastifyReply): undefined {
  const states = counts.map(({ limit }, index) => stateOf(limit, counted[index] as Counted))
  reply.header('ratelimit-policy', states.map(({ policy }) => policy).join(', '))
  reply.header('ratelimit', states.map(({ text }) => text).join(', '))
  const retryAfterSeconds = Math.max(...states.map(({ isExceeded, seconds }) => (isExceeded ? seconds : 0)))
  if (retryAfterSeconds > 0) throw problem('rate_limited', { retryAfterSeconds })
}

function stateOf({ name, requests, perSeconds }: Limit, { count, msLeft }: Counted) {
  // A clock that was set back elsewhere makes no wait longer than the window.
  const seconds = Math.min(Math.max(1, Math.ceil(msLeft / 1000)), perSeconds)
  const isExceeded = count > requests
  countLimited(name, isExceeded)
  return {
    seconds,
    isExceeded,
    policy: `"${name}";q=${requests};w=${perSeconds}`,
    text: `"${name}";r=${Math.max(0, requests - count)};t=${seconds}`,
  }
}
