import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/open.ts'
import { limitCounts } from '../limit-counts.ts'
import { type Counters, OwnCounters, type SharedCounters } from './counters.ts'
import { openDatabaseCounters } from './database-counters.ts'
import { resilient, withDatabase } from './resilient-counters.ts'

export interface CounterDeps {
  config: Pick<Config, 'redisUrl'>
  database: Database
  log: Logger
  /** Counts for all processes of this node; undefined: this is the only one. */
  nodeCounters?: SharedCounters | undefined
  /** How long a request waits for Redis before it is counted without. */
  redisTimeoutMs?: number
  /** How long it waits for the database while Redis is away. */
  databaseTimeoutMs?: number
}

/** A request waits this long for Redis. */
const REDIS_TIMEOUT_MS = 100
/** On the same machine it is late only when that is busy, and then counting alone would help nothing. */
const NODE_TIMEOUT_MS = 2000
/** While Redis is away, a request waits this long for the database. */
const DATABASE_TIMEOUT_MS = 500

/**
 * Redis counts for all nodes. Without it, or while it does not answer, the primary process counts for all processes of this
 * node, and a single process for itself. While Redis does not answer, the database counts the limits of routes for all nodes.
 */
export async function openCounters(deps: CounterDeps): Promise<Counters & { close(): void }> {
  const { config, database, log, nodeCounters } = deps
  const { redisTimeoutMs = REDIS_TIMEOUT_MS, databaseTimeoutMs = DATABASE_TIMEOUT_MS } = deps
  const own = new OwnCounters()
  const onNode = nodeCounters && resilient(nodeCounters, { log, timeoutMs: NODE_TIMEOUT_MS, fallback: own })
  const alone: Counters = onNode ?? own
  if (!config.redisUrl) return { count: (counts) => alone.count(counts), close: () => onNode?.close() }

  const { openRedisCounters } = await import('./redis-counters.ts')
  const inDatabase = resilient(openDatabaseCounters(database), {
    log,
    timeoutMs: databaseTimeoutMs,
    fallback: { count: () => [] },
  })
  const together = withDatabase(alone, inDatabase)
  const fallback: Counters = {
    count(counts) {
      limitCounts.fallbacks++
      return together.count(counts)
    },
  }
  const redis = resilient(await openRedisCounters(config.redisUrl), { log, timeoutMs: redisTimeoutMs, fallback })
  return {
    count: (counts) => redis.count(counts),
    close() {
      for (const each of [redis, inDatabase, onNode]) each?.close()
    },
  }
}
