import type { FastifyReply, FastifyRequest } from 'fastify'
import { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config/config.ts'
import { networkOf } from '../lib/networks.ts'
import { problem } from '../problems.ts'
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
  /** Counts a request against every limit that applies; throws when one is exceeded. */
  count(request: FastifyRequest, reply: FastifyReply, routeLimit?: RouteLimit): Promise<void>
  close(): Promise<void>
}

const noLimits: Limits = { count: async () => {}, close: async () => {} }

export function openLimits({ rateLimit, redisUrl }: Config, onRedisError: (error: Error) => void): Limits {
  if (!rateLimit.enabled) return noLimits
  const redis = redisUrl ? openRedis(redisUrl, onRedisError) : undefined
  const general: RouteLimit = { name: 'general', requests: rateLimit.perMinute, perSeconds: 60 }
  const limiters = new Map<string, RateLimiterAbstract>()
  const limiterOf = (limit: RouteLimit) => {
    const limiter = limiters.get(limit.name) ?? limiterFor(limit, redis)
    limiters.set(limit.name, limiter)
    return limiter
  }
  return {
    async count(request, reply, routeLimit) {
      const network = networkOf(clientAddressOf(request))
      const limits = routeLimit ? [general, routeLimit] : [general]
      // Counts against all limits even when the first is exceeded, so that exceeding one does not spare another.
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
      const retryAfterSeconds = Math.max(...states.map(({ isExceeded, seconds }) => (isExceeded ? seconds : 0)))
      if (retryAfterSeconds > 0) throw problem('rate_limited', { retryAfterSeconds })
    },
    async close() {
      redis?.disconnect()
    },
  }
}

/** While Redis is unreachable, each process counts for itself. */
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
): Promise<{ left: number; seconds: number; isExceeded: boolean }> {
  // The library rejects with the same result object when the limit is exceeded.
  const result = await limiter.consume(key).catch((rejection: unknown) => rejection)
  if (result instanceof RateLimiterRes) {
    return {
      left: Math.max(0, result.remainingPoints),
      seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
      isExceeded: result.consumedPoints > limiter.points,
    }
  }
  throw result
}
