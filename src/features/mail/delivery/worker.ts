import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../../lib/background.ts'
import type { KeyUse } from '../../../lib/key-use.ts'
import { tracing } from '../../../tracing/spans.ts'
import { type ClaimedEmail, claimDueEmails, completeAttempt } from '../outbox/outbox.ts'
import { PermanentDeliveryError } from '../templates/permanent-delivery-error.ts'
import type { MessageDeps } from '../templates/render-message.ts'
import { type AttemptResult, failedAttempt } from './attempt-results.ts'
import { Deadlines } from './deadlines.ts'
import type { Delivery } from './delivery.ts'
import { DeliverySlots } from './delivery-slots.ts'

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
  /** Kept by the reports of nodes. Without it all emails are sent. */
  keyUse?: Pick<KeyUse, 'maySend'>
  deliveryMs?: number
  /** As many processes of this node divide the emails that are delivered at the same time. */
  processes?: number
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
  readonly #slots: DeliverySlots
  readonly #stopping = new AbortController()
  readonly #deadlines = new Deadlines()
  readonly #tally: Tally = { sent: 0, postponed: 0, failed: 0 }
  #loop: BackgroundLoop | undefined
  #lastRoundAt = Date.now()
  #stopped: Promise<void> | undefined

  constructor(parts: MailWorkerParts) {
    this.#parts = parts
    this.#slots = new DeliverySlots(parts.processes)
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
    await this.#slots.ended()
    clearTimeout(grace)
    await this.#parts.delivery.close()
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /**
   * Starts to deliver what is due, and does not wait for it: the next round starts while emails of this one are on their
   * way, so that a slow delivery takes up one slot, slow ones to one domain a few slots, and the others go on.
   */
  async #startDue(): Promise<Promise<void>[]> {
    const emails = await this.#claim()
    this.#lastRoundAt = Date.now()
    // When all slots were taken, or those of the domain, more may be due: the next round starts at once.
    return emails.map((email) => this.#slots.add(email, this.#handle(email), () => this.#loop?.nudge()))
  }

  async #claim(): Promise<ClaimedEmail[]> {
    const { capacity } = this.#slots
    const { keyUse = { maySend: true } } = this.#parts
    if (capacity.emailsMax === 0 || !keyUse.maySend) return []
    const { emails, lastDomain } = await claimDueEmails(this.#parts.database, capacity)
    this.#slots.lastDomain = lastDomain
    return emails
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
