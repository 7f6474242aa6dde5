import type { FastifyReply, FastifyRequest } from 'fastify'
import { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config/config.ts'
import { networkOf } from '../lib/networks.ts'
import { problem } from '../problems.ts'
import { addressOf } from './request-info.ts'

/** A limit of one route, on top of the general one; routes that share a name share the count. */
export interface RouteLimit {
  name: string
  requests: number
  perSeconds: number
}

const UNCOUNTED =
  /^\/($|api\/(health|docs)(\/|$)|api\/docs-json$|\.well-known\/|pages\/|dev\/mail|(verify-email|reset-password|undo-email-change)$)/

/** By route: an address has many spellings. */
export const isCounted = (route: string) => !UNCOUNTED.test(route)

export interface Limits {
  /** Counts a request against every limit that applies; throws when one is used up. */
  count(request: FastifyRequest, reply: FastifyReply, own?: RouteLimit): Promise<void>
  close(): Promise<void>
}

const none: Limits = { count: async () => {}, close: async () => {} }

export function openLimits({ rateLimit, redisUrl }: Config, onRedisError: (error: Error) => void): Limits {
  if (!rateLimit.enabled) return none
  const redis = redisUrl ? openRedis(redisUrl, onRedisError) : undefined
  const general: RouteLimit = { name: 'general', requests: rateLimit.perMinute, perSeconds: 60 }
  const limiters = new Map<string, RateLimiterAbstract>()
  const limiterOf = (limit: RouteLimit) => {
    const limiter = limiters.get(limit.name) ?? limiterFor(limit, redis)
    limiters.set(limit.name, limiter)
    return limiter
  }
  return {
    async count(request, reply, own) {
      const network = networkOf(addressOf(request))
      const limits = own ? [general, own] : [general]
      // All counts rise, also when the first is used up: hammering one limit is no way to spare another.
      const states = await Promise.all(
        limits.map(async (limit) => ({ limit, ...(await consume(limiterOf(limit), network)) })),
      )
      reply.header(
        'ratelimit-policy',
        states.map(({ limit }) => `"${limit.name}";q=${limit.requests};w=${limit.perSeconds}`).join(', '),
      )
      reply.header(
        'ratelimit',
        states.map(({ limit, left, seconds }) => `"${limit.name}";r=${left};t=${seconds}`).join(', '),
      )
      const refusedFor = Math.max(...states.map(({ refused, seconds }) => (refused ? seconds : 0)))
      if (refusedFor > 0) throw problem('rate_limited', { retryAfterSeconds: refusedFor })
    },
    async close() {
      redis?.disconnect()
    },
  }
}

/** While Redis can't be reached, each node counts for itself. */
function limiterFor({ name, requests, perSeconds }: RouteLimit, redis: Redis | undefined): RateLimiterAbstract {
  const options = { keyPrefix: `tenantry:${name}`, points: requests, duration: perSeconds }
  const memory = new RateLimiterMemory(options)
  return redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory
}

function openRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 500 })
  redis.on('error', onError)
  return redis
}

async function consume(
  limiter: RateLimiterAbstract,
  key: string,
): Promise<{ left: number; seconds: number; refused: boolean }> {
  const result = await limiter.consume(key).catch((refused: unknown) => refused)
  if (result instanceof RateLimiterRes) {
    return {
      left: Math.max(0, result.remainingPoints),
      seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
      refused: result.consumedPoints > limiter.points,
    }
  }
  throw result
}
