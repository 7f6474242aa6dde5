import { Redis } from 'ioredis'
import type { Counted } from '../../lib/window-counter.ts'
import { type Count, PROBE, type SharedCounters } from './counters.ts'

/** A start waits this long for the first connection. */
const CONNECT_MS = 1000
const RECONNECT_MS_MAX = 1000
/** A connection that does not end by then is cut. */
const DISCONNECT_MS = 500

/**
 * Counts like OwnCounters, in one round trip for all counts of a request. ARGV has three values for each key: the length of
 * the window in milliseconds, the requests of the limit, and whether the count is only read once a limit is exceeded.
 */
const COUNT = `
  local result, exceeded = {}, false
  for i, key in ipairs(KEYS) do
    local windowMs, requests, unlessExceeded = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
    local isRead = exceeded and unlessExceeded == '1'
    local count = tonumber(isRead and (redis.call('get', key) or 0) or redis.call('incr', key))
    local msLeft = redis.call('pttl', key)
    if msLeft < 0 then
      msLeft = tonumber(windowMs)
      if not isRead then redis.call('pexpire', key, windowMs) end
    end
    exceeded = exceeded or count > tonumber(requests)
    result[2 * i - 1] = count
    result[2 * i] = msLeft
  end
  return result`

interface CountingRedis extends Redis {
  countRequest(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number[]>
}

/** Counts that several nodes share in Redis or Valkey. Resolves when it is connected, or a moment later without it. */
export async function openRedisCounters(url: string): Promise<SharedCounters> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: (tries) => Math.min(tries * 50, RECONNECT_MS_MAX),
  }) as CountingRedis
  redis.defineCommand('countRequest', { lua: COUNT })
  let lastError: Error | undefined
  redis.on('error', (error: Error) => {
    lastError = error
  })
  redis.on('ready', () => {
    lastError = undefined
  })
  await connect(redis)
  const count = async (counts: Count[]) => {
    const keys = counts.map(({ limit, name }) => `tenantry:${limit.name}:${name}`)
    return toCounted(await redis.countRequest(keys.length, ...keys, ...counts.flatMap(argumentsOf)))
  }
  return {
    name: 'Redis',
    count,
    probe: prober(redis, () => count([PROBE])),
    lastError: () => lastError,
    close: () => redis.disconnect(),
  }
}

/** The client goes on trying to connect by itself. */
async function connect(redis: Redis): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, CONNECT_MS)
  await Promise.race([redis.connect().catch(() => {}), timeout.promise])
  clearTimeout(timer)
}

/**
 * A connection that still owes the answer to the last probe may be dead without an end, and one to a server that has become a
 * replica leads there for as long as it lasts. Both are replaced.
 */
function prober(redis: Redis, count: () => Promise<unknown>): () => Promise<unknown> {
  let isAnswered = true
  return async () => {
    if (!isAnswered) redis.disconnect(true)
    isAnswered = false
    try {
      await count()
    } catch (error) {
      if ((error as Error).message.startsWith('READONLY')) redis.disconnect(true)
      throw error
    } finally {
      isAnswered = true
    }
  }
}

const argumentsOf = ({ limit, unlessExceeded }: Count) => [
  limit.perSeconds * 1000,
  limit.requests,
  unlessExceeded ? 1 : 0,
]

/** The script returns pairs of a count and the milliseconds that are left. */
function toCounted(values: number[]): Counted[] {
  const counted: Counted[] = []
  for (let i = 0; i < values.length; i += 2)
    counted.push({ count: values[i] as number, msLeft: values[i + 1] as number })
  return counted
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
