import type { Logger } from 'pino'
import { Circuit } from '../../lib/circuit.ts'
import type { Counted } from '../../lib/window-counter.ts'
import type { Count, Counters, SharedCounters } from './counters.ts'

const PAUSE_MS = 3000

export interface Resilience {
  log: Logger
  /** How long one request waits for the shared counters before they count as unreachable. */
  timeoutMs: number
  /** Counts while they are unreachable. */
  fallback: Counters
}

/** Counts together with other processes as long as that works, and with the fallback otherwise. No request fails by it. */
export function resilient(
  shared: SharedCounters,
  { log, timeoutMs, fallback }: Resilience,
): Counters & { close(): void } {
  const circuit = new Circuit({
    timeoutMs,
    pauseMs: PAUSE_MS,
    probe: () => shared.probe(),
    onOpened: (reason) =>
      log.warn({ err: shared.lastError?.() ?? reason }, `${shared.name} does not count requests; counting without`),
    onClosed: () => log.info(`${shared.name} counts requests again`),
  })
  return {
    count(counts) {
      if (circuit.isOpen) return fallback.count(counts)
      return circuit.run(() => shared.count(counts)).catch(() => fallback.count(counts))
    },
    close() {
      circuit.end()
      shared.close()
    },
  }
}

/**
 * Counts limits of routes in the database and the others in this process. What this process refuses alone is not asked
 * there, so a flood costs the database a few statements for each network and minute.
 */
export function withDatabase(own: Counters, database: Counters): Counters {
  return {
    async count(counts) {
      const counted = await own.count(counts)
      const asked = counts.filter((count, index) => count.isOfRoute && !isExceeded(count, counted[index] as Counted))
      if (asked.length === 0) return counted
      const together = await database.count(asked)
      return counts.map((count, index) => together[asked.indexOf(count)] ?? (counted[index] as Counted))
    },
  }
}

const isExceeded = ({ limit }: Count, { count }: Counted) => count > limit.requests
