import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { networkOf } from '../lib/networks.ts'
import { type Counted, WindowCounter } from '../lib/window-counter.ts'
import { problem } from '../problems.ts'
import { countLimited } from './limit-counts.ts'
import { clientAddressOf } from './request-info.ts'

/** A limit of one route, in addition to the general one. Routes with the same name share the count. */
export interface RouteLimit {
  name: string
  requests: number
  perSeconds: number
}

const UNLIMITED_ROUTES =
  /^\/($|api\/(health|docs)(\/|$)|api\/docs-json$|\.well-known\/|pages\/|dev\/mail|(verify-email|reset-password|undo-email-change)$)/

/** Takes the route's pattern and not the URL, which has many spellings. */
export const isRateLimited = (route: string) => !UNLIMITED_ROUTES.test(route)

export interface Limits {
  /** Counts a request against every limit that applies; throws or rejects when one is exceeded. */
  count(request: FastifyRequest, reply: FastifyReply, routeLimit?: RouteLimit): Promise<void> | undefined
  close(): void
}

/** Where requests are counted: in this process, at once, or in Redis. */
export interface Counters {
  count(limit: RouteLimit, network: string): Counted | Promise<Counted>
  close(): void
}

const noLimits: Limits = { count: () => undefined, close() {} }

export async function openLimits(
  { rateLimit, redisUrl }: Config,
  onRedisError: (error: Error) => void,
): Promise<Limits> {
  if (!rateLimit.enabled) return noLimits
  const general: RouteLimit = { name: 'general', requests: rateLimit.perMinute, perSeconds: 60 }
  const counters = redisUrl ? await openSharedCounters(redisUrl, onRedisError) : openOwnCounters()
  return {
    count(request, reply, routeLimit) {
      const network = networkOf(clientAddressOf(request))
      const limits = routeLimit ? [general, routeLimit] : [general]
      // Counts against all limits even when the first is exceeded, so that exceeding one does not spare another.
      const counts = limits.map((limit) => counters.count(limit, network))
      if (counts.every(isKnown)) return decide(limits, counts, reply)
      return Promise.all(counts).then((known) => decide(limits, known, reply))
    },
    close: () => counters.close(),
  }
}

const isKnown = (count: Counted | Promise<Counted>): count is Counted => !(count instanceof Promise)

async function openSharedCounters(redisUrl: string, onRedisError: (error: Error) => void): Promise<Counters> {
  const shared = await import('./shared-counters.ts')
  return shared.openSharedCounters(redisUrl, onRedisError)
}

function openOwnCounters(): Counters {
  const counters = new Map<string, WindowCounter>()
  return {
    count({ name, perSeconds }, network) {
      const counter = counters.get(name) ?? new WindowCounter(perSeconds * 1000)
      counters.set(name, counter)
      return counter.count(network)
    },
    close() {},
  }
}

/** Says in headers what is left, and refuses a request that is too many. */
function decide(limits: RouteLimit[], counts: Counted[], reply: FastifyReply): undefined {
  const states = limits.map((limit, index) => stateOf(limit, counts[index] as Counted))
  reply.header('ratelimit-policy', states.map(({ policy }) => policy).join(', '))
  reply.header('ratelimit', states.map(({ text }) => text).join(', '))
  const retryAfterSeconds = Math.max(...states.map(({ isExceeded, seconds }) => (isExceeded ? seconds : 0)))
  if (retryAfterSeconds > 0) throw problem('rate_limited', { retryAfterSeconds })
}

function stateOf({ name, requests, perSeconds }: RouteLimit, { count, msLeft }: Counted) {
  // Never longer than the window, also where it was measured with a clock that was set back since.
  const seconds = Math.min(perSeconds, Math.max(1, Math.ceil(msLeft / 1000)))
  const isExceeded = count > requests
  countLimited(name, isExceeded)
  return {
    seconds,
    isExceeded,
    policy: `"${name}";q=${requests};w=${perSeconds}`,
    text: `"${name}";r=${Math.max(0, requests - count)};t=${seconds}`,
  }
}
