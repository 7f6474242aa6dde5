import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { targetElsewhere } from '../../database/locate.ts'
import { OwnCounters } from '../../http/limits/counters.ts'
import type { Counted } from '../../lib/window-counter.ts'
import type { Announcement } from '../announce.ts'
import type { PreparedDatabase } from '../prepare-database.ts'
import { returnConnectionsOf } from './handed-over.ts'
import { divideHeap } from './heap-options.ts'
import { type FromWorker, sendTo } from './messages.ts'

const RESTART_MS_MIN = 500
const RESTART_MS_MAX = 30_000
/** A process that has worked for this long ends for a new reason. */
const HEALTHY_MS = 60_000

/** A worker process ended before it had started. It has printed why, if it could. */
export class WorkerStartError extends Error {}

export interface SupervisorOptions {
  processes: number
  database: PreparedDatabase
  log: Logger
}

/** Keeps the worker processes of this node running, and counts requests for all of them. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #counters = new OwnCounters()
  readonly #running = new Set<Worker>()
  readonly #started = new Set<Worker>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Before that a process that ends before it serves ends the start. */
  #isSupervising = false
  #isStopping = false

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** The first one starts alone, so that a fault of the settings is reported once. */
  async start(): Promise<Announcement> {
    const { processes } = this.#options
    cluster.setupPrimary({ execArgv: process.execArgv.map((option) => divideHeap(option, processes)) })
    const announcement = await this.#startOne()
    await Promise.all(Array.from({ length: processes - 1 }, () => this.#startOne()))
    this.#isSupervising = true
    return announcement
  }

  /** Those that serve. */
  get started(): ReadonlySet<Worker> {
    return this.#started
  }

  signal(signal: NodeJS.Signals): void {
    for (const { process } of this.#running) process.kill(signal)
  }

  /** Starts none again, and resolves when all have ended, to whether all did as they should. */
  async stop(signal: NodeJS.Signals): Promise<boolean> {
    this.#isStopping = true
    for (const timer of this.#restarts) clearTimeout(timer)
    const ended = [...this.#running].map(async (worker) => {
      const [code, endedBy] = await once(worker, 'exit')
      // One that had not started yet knows no better than to end at once.
      return code === 0 || endedBy === signal
    })
    this.signal(signal)
    return (await Promise.all(ended)).every(Boolean)
  }

  /** Resolves when it accepts requests. */
  async #startOne(): Promise<Announcement> {
    const worker = this.#fork()
    const started = Promise.withResolvers<Announcement>()
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'started') started.resolve(message.announcement)
    })
    worker.once('exit', (code, signal) =>
      started.reject(new WorkerStartError(`A worker process ended at its start (${signal ?? `exit code ${code}`})`)),
    )
    return started.promise
  }

  #fork(failures = 0): Worker {
    const { processes } = this.#options
    const worker = cluster.fork({ NODE_OPTIONS: divideHeap(process.env.NODE_OPTIONS ?? '', processes) })
    const startedAt = performance.now()
    returnConnectionsOf(worker)
    this.#running.add(worker)
    worker.on('message', (message: FromWorker) => this.#onMessage(worker, message))
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker)
      const hasServed = this.#started.delete(worker)
      const wasHealthy = performance.now() - startedAt > HEALTHY_MS
      if (this.#isStopping || !(this.#isSupervising || hasServed)) return
      this.#restart({ worker: worker.id, code, signal }, wasHealthy ? 0 : failures)
    })
    return worker
  }

  #onMessage(worker: Worker, message: FromWorker): void {
    const { target, embeddedVersion } = this.#options.database
    if (message.kind === 'started') this.#started.add(worker)
    if (message.kind === 'loaded') sendTo(worker, { kind: 'work', target: targetElsewhere(target), embeddedVersion })
    if (message.kind !== 'count') return
    const requests = message.requests.map((counts): Counted[] => this.#counters.count(counts))
    sendTo(worker, { kind: 'counted', id: message.id, requests })
  }

  #restart(ended: { worker: number; code: number; signal: string }, failures: number): void {
    const restartMs = Math.min(RESTART_MS_MIN * 2 ** failures, RESTART_MS_MAX)
    this.#options.log.error({ ended, restartMs }, 'a worker process has ended and is started again')
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      this.#fork(failures + 1)
    }, restartMs)
    this.#restarts.add(timer)
  }
}
