import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Counted } from '../lib/window-counter.ts'

interface Limit {
  name: string
  requests: number
  perSeconds: number
}

/** Counts that several nodes share in Redis. While it is unreachable, each process counts for itself. */
export function openSharedCounters(url: string, onError: (error: Error) => void) {
  const redis = openRedis(url, onError)
  const limiters = new Map<string, RateLimiterRedis>()
  const limiterOf = (limit: Limit) => {
    const limiter = limiters.get(limit.name) ?? limiterFor(limit, redis)
    limiters.set(limit.name, limiter)
    return limiter
  }
  return {
    count: (limit: Limit, network: string) => consume(limiterOf(limit), network),
    close: () => redis.disconnect(),
  }
}

function limiterFor({ name, requests, perSeconds }: Limit, storeClient: Redis): RateLimiterRedis {
  const options = { keyPrefix: `tenantry:${name}`, points: requests, duration: perSeconds }
  return new RateLimiterRedis({ ...options, storeClient, insuranceLimiter: new RateLimiterMemory(options) })
}

function openRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 500 })
  redis.on('error', onError)
  return redis
}

/** Connects to Redis and asks it for an answer. Throws what the server or network says. */
export async function pingRedis(url: string, timeoutMs: number): Promise<void> {
  const options = { lazyConnect: true, connectTimeout: timeoutMs, commandTimeout: timeoutMs, retryStrategy: () => null }
  const redis = new Redis(url, options)
  const failure = new Promise<never>((_, reject) => redis.once('error', reject))
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), failure])
  } finally {
    redis.disconnect()
  }
}

async function consume(limiter: RateLimiterRedis, key: string): Promise<Counted> {
  // The library rejects with the same result object when the limit is exceeded.
  const result = await limiter.consume(key).catch((rejection: unknown) => rejection)
  if (result instanceof RateLimiterRes) return { count: result.consumedPoints, msLeft: result.msBeforeNext }
  throw result
}
