import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../../lib/background.ts'
import { tracing } from '../../../tracing/spans.ts'
import { type ClaimedEmail, claimDueEmails, completeAttempt } from '../outbox/outbox.ts'
import { PermanentDeliveryError } from '../templates/permanent-delivery-error.ts'
import type { MessageDeps } from '../templates/render-message.ts'
import { type AttemptResult, failedAttempt } from './attempt-results.ts'
import { Deadlines } from './deadlines.ts'
import type { Delivery } from './delivery.ts'

const EMAILS_AT_ONCE = 10
const POLL_MS = 300
const BACK_OFF = { firstMs: 1000, maxMs: 5000 }
/** Well below the lease: a slower delivery counts as failed while the lease is still valid. */
const DELIVERY_MS = 30_000
const STOP_MS = 5000
/** A round waits for nothing longer than a delivery, so a worker silent for this long hangs or has no database. */
const SILENCE_MS_MAX = 45_000
/** A sent email must not be sent again because the database was unavailable for a moment. */
const COMPLETE_TRIES_MAX = 10
const COMPLETE_PAUSE_MS = 1000

export interface MailWorkerParts extends MessageDeps {
  database: Database
  delivery: Delivery
  log: Logger
  deliveryMs?: number
  /** Runs before each round and may enqueue emails for it. When it throws, the round ends. */
  beforeRound?: () => Promise<unknown>
  /** Works only when `deliverDue` is called: for tests. */
  idle?: boolean
}

/** Attempts since the start, by how they ended. */
interface Tally {
  sent: number
  postponed: number
  failed: number
}

export interface MailWorker {
  /** One round: claims due emails and resolves, when all attempts are completed, to how many it claimed. */
  deliverDue(): Promise<number>
  /** When the outbox was last read. */
  lastRoundAt(): Date
  healthy(): boolean
  tally(): Tally
  /** Claims nothing more, gives deliveries in progress a few seconds, and closes the transport. */
  stop(): Promise<void>
}

/** Delivers each email of the outbox at least once, beside any number of other workers. */
export function startMailWorker(parts: MailWorkerParts): MailWorker {
  const worker = new OutboxWorker(parts)
  if (!parts.idle) worker.start()
  return worker
}

class OutboxWorker implements MailWorker {
  readonly #parts: MailWorkerParts
  readonly #inProgress = new Set<Promise<void>>()
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
    await Promise.all(this.#inProgress)
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
    const slots = EMAILS_AT_ONCE - this.#inProgress.size
    const emails = slots > 0 ? await claimDueEmails(this.#parts.database, slots) : []
    this.#lastRoundAt = Date.now()
    return emails.map((email) => {
      const work = this.#handle(email).finally(() => this.#free(work))
      this.#inProgress.add(work)
      return work
    })
  }

  /** When all slots were taken, more may be due: the next round starts at once. */
  #free(work: Promise<void>): void {
    const wasFull = this.#inProgress.size === EMAILS_AT_ONCE
    this.#inProgress.delete(work)
    if (wasFull) this.#loop?.nudge()
  }

  async #handle(email: ClaimedEmail): Promise<void> {
    const deliver = () => this.#deliver(email)
    const result = await (tracing.spans?.email(email, deliver) ?? deliver()).then(
      (): AttemptResult => ({ status: 'sent' }),
      (error: unknown) => failedAttempt(email.attempts, error),
    )
    const { id, kind, attempts } = email
    const about = { emailId: id, kind, attempts, ...('error' in result && { error: result.error }) }
    try {
      const isOurs = await this.#complete(email, result)
      if (!isOurs)
        this.#parts.log.warn(
          { ...about, status: result.status },
          'lease expired before the attempt was completed; the email may be sent twice',
        )
      else this.#logAttempt(about, result)
    } catch (error) {
      this.#parts.log.error(
        { ...about, status: result.status, err: error },
        'attempt could not be completed; the email may be sent twice',
      )
    }
  }

  async #deliver(email: ClaimedEmail): Promise<void> {
    if (email.isExpired)
      throw new PermanentDeliveryError(`Expired${email.lastError ? `, after: ${email.lastError}` : ''}`)
    if (email.isSecretExpired) throw new PermanentDeliveryError('Its link or password was used, replaced or expired')
    const { delivery, deliveryMs = DELIVERY_MS } = this.#parts
    // Loaded with the first email: texts and formats take memory and time that a start should not cost.
    const { messageOf } = await import('../templates/render-message.ts')
    const message = messageOf(email, this.#parts)
    await this.#deadlines.within(deliveryMs, (signal) => delivery.deliver(message, signal))
  }

  async #complete(email: ClaimedEmail, result: AttemptResult): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await completeAttempt(this.#parts.database, email, result)
      } catch (error) {
        if (tries === COMPLETE_TRIES_MAX || this.#isStopping) throw error
        await this.#pause(COMPLETE_PAUSE_MS)
      }
    }
  }

  #logAttempt(about: Record<string, unknown>, { status }: AttemptResult): void {
    const { log } = this.#parts
    if (status === 'sent') log.info(about, 'email sent')
    if (status === 'pending') log.warn(about, 'email not delivered; it will be tried again')
    if (status === 'failed') log.warn(about, 'email failed')
    this.#tally[status === 'pending' ? 'postponed' : status]++
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
