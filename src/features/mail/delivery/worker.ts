import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../../lib/background.ts'
import { type HeldLetter, settle, takeDue } from '../outbox/outbox.ts'
import { messageOf, Undeliverable, type Writing } from '../templates/messages.ts'
import { failureOf, type Outcome } from './attempt-results.ts'
import { Deadlines } from './deadlines.ts'
import type { Delivery } from './delivery.ts'

const LETTERS_AT_ONCE = 10
const POLL_MS = 300
const BACK_OFF = { firstMs: 1000, maxMs: 5000 }
/** Well below the lease: what takes longer counts as not delivered while the letter is still ours. */
const DELIVERY_MS = 30_000
const STOP_MS = 5000
/** A round waits for nothing longer than a delivery, so after this the worker hangs or has no database. */
const SILENCE_MS_MAX = 45_000
/** A letter that left must not leave again only because the database was away for a moment. */
const SETTLE_TRIES_MAX = 10
const SETTLE_PAUSE_MS = 1000

export interface MailWorkerParts extends Writing {
  database: Database
  delivery: Delivery
  log: Logger
  deliveryMs?: number
  /** What may write emails that then leave in the same round. A failure of it ends the round. */
  beforeRound?: () => Promise<unknown>
  /** Works only when `deliverDue` is called: for tests. */
  idle?: boolean
}

/** How letters went since the start. */
interface Tally {
  sent: number
  postponed: number
  failed: number
}

export interface MailWorker {
  /** One round: takes what is due, and resolves when all of that is settled. How many letters it took. */
  deliverDue(): Promise<number>
  /** When the outbox was last looked into. */
  lastRoundAt(): Date
  healthy(): boolean
  tally(): Tally
  /** Takes nothing more, gives what is in hand a few seconds, and closes the delivery. */
  stop(): Promise<void>
}

/** Delivers the outbox, at least once each letter, beside any number of other workers. */
export function startMailWorker(parts: MailWorkerParts): MailWorker {
  const worker = new OutboxWorker(parts)
  if (!parts.idle) worker.start()
  return worker
}

class OutboxWorker implements MailWorker {
  readonly #parts: MailWorkerParts
  readonly #inHand = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #deadlines = new Deadlines()
  readonly #tally: Tally = { sent: 0, postponed: 0, failed: 0 }
  #loop: BackgroundLoop | undefined
  #lastRoundAt = Date.now()
  #stopped: Promise<void> | undefined

  constructor(parts: MailWorkerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#loop = startBackgroundLoop({
      name: 'email worker',
      log: this.#parts.log,
      round: () => this.#startDue(),
      intervalMs: POLL_MS,
      backOff: BACK_OFF,
      stopMs: STOP_MS,
    })
  }

  async deliverDue(): Promise<number> {
    const started = await this.#startDue()
    await Promise.all(started)
    return started.length
  }

  lastRoundAt(): Date {
    return new Date(this.#lastRoundAt)
  }

  healthy(): boolean {
    return !this.#isStopping && Date.now() - this.#lastRoundAt < SILENCE_MS_MAX
  }

  tally(): Tally {
    return { ...this.#tally }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    const grace = setTimeout(() => this.#deadlines.end(new Error('The service stopped')), STOP_MS)
    await this.#loop?.stop()
    await Promise.all(this.#inHand)
    clearTimeout(grace)
    await this.#parts.delivery.close()
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /**
   * Starts to deliver what is due, and does not wait for it: the next round starts while emails of this one are on their
   * way, so that a slow delivery takes up one slot and delays no others.
   */
  async #startDue(): Promise<Promise<void>[]> {
    await this.#parts.beforeRound?.()
    const slots = LETTERS_AT_ONCE - this.#inHand.size
    const letters = slots > 0 ? await takeDue(this.#parts.database, slots) : []
    this.#lastRoundAt = Date.now()
    return letters.map((letter) => {
      const work = this.#handle(letter).finally(() => this.#free(work))
      this.#inHand.add(work)
      return work
    })
  }

  /** When all slots were taken, more may be due: the next round starts at once. */
  #free(work: Promise<void>): void {
    const wasFull = this.#inHand.size === LETTERS_AT_ONCE
    this.#inHand.delete(work)
    if (wasFull) this.#loop?.nudge()
  }

  async #handle(letter: HeldLetter): Promise<void> {
    const outcome = await this.#deliver(letter).then(
      (): Outcome => ({ status: 'sent' }),
      (error: unknown) => failureOf(letter.attempts, error),
    )
    const { id, kind, attempts } = letter
    const about = { letter: id, kind, attempts, ...('error' in outcome && { error: outcome.error }) }
    try {
      const isOurs = await this.#settle(letter, outcome)
      if (!isOurs)
        this.#parts.log.warn({ ...about, status: outcome.status }, 'letter was no longer ours; it may go twice')
      else this.#tell(about, outcome)
    } catch (error) {
      this.#parts.log.error({ ...about, status: outcome.status, err: error }, 'letter not settled; it may go twice')
    }
  }

  async #deliver(letter: HeldLetter): Promise<void> {
    if (letter.isExpired)
      throw new Undeliverable(`Its time was over${letter.lastError ? `, after: ${letter.lastError}` : ''}`)
    if (letter.secretIsDead) throw new Undeliverable('What it carries was used or replaced, or its time is over')
    const { delivery, deliveryMs = DELIVERY_MS } = this.#parts
    const message = messageOf(letter, this.#parts)
    await this.#deadlines.within(deliveryMs, (signal) => delivery.deliver(message, signal))
  }

  async #settle(letter: HeldLetter, outcome: Outcome): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await settle(this.#parts.database, letter, outcome)
      } catch (error) {
        if (tries === SETTLE_TRIES_MAX || this.#isStopping) throw error
        await this.#pause(SETTLE_PAUSE_MS)
      }
    }
  }

  #tell(about: Record<string, unknown>, { status }: Outcome): void {
    const { log } = this.#parts
    if (status === 'sent') log.info(about, 'letter sent')
    if (status === 'pending') log.warn(about, 'letter not delivered; it will be tried again')
    if (status === 'failed') log.warn(about, 'letter given up')
    this.#tally[status === 'pending' ? 'postponed' : status]++
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
