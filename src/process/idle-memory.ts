import { Session } from 'node:inspector/promises'
import { performance } from 'node:perf_hooks'

const CHECK_MS = 5000
/** Share of the time in which the event loop had something to do. Probes and workers that wait take a tenth of it. */
const BUSY_MAX = 0.02
/** What is less is not worth a collection. */
const GROWTH_BYTES_MIN = 16 * 1024 ** 2
/** A collection stops the process for some 100 ms, so that is at most two in a thousand of its time. */
const PAUSE_MS = 60_000

export interface IdleMemoryProbe {
  /** Resident memory of the process, in bytes. */
  resident(): number
  /** Share of the time since the last call in which the event loop was busy, from 0 to 1. */
  busy(): number
  /** In ms, from any origin. */
  now(): number
  collect(): Promise<void>
}

/**
 * Collects garbage when the process is idle and has grown. V8 alone makes the heap compact only a hundred seconds after its
 * last full collection, and keeps the pages of the young generation. See docs/decisions/0051-memory-when-idle.md.
 */
export class IdleMemory {
  readonly #probe: IdleMemoryProbe
  /** Of the time since the last collection. What the start has left counts as grown. */
  #smallest = 0
  #collectedAt = Number.NEGATIVE_INFINITY

  constructor(probe: IdleMemoryProbe) {
    this.#probe = probe
  }

  async check(): Promise<void> {
    const { resident, busy, now, collect } = this.#probe
    if (busy() > BUSY_MAX) return
    const bytes = resident()
    this.#smallest = Math.min(this.#smallest, bytes)
    if (bytes < this.#smallest + GROWTH_BYTES_MIN || now() < this.#collectedAt + PAUSE_MS) return
    this.#collectedAt = now()
    await collect()
    this.#smallest = resident()
  }
}

/** Goes on for the life of the process, and does not keep it alive. */
export function collectWhenIdle(): void {
  let before = performance.eventLoopUtilization()
  const busy = () => {
    const last = before
    before = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(before, last).utilization
  }
  const resident = () => process.memoryUsage.rss()
  const memory = new IdleMemory({ resident, busy, now: () => performance.now(), collect: collectGarbage })
  setInterval(() => void memory.check(), CHECK_MS).unref()
}

/** Node has no function of its own for it. The inspector's gives pages of the young generation back as well. */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
