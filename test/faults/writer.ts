import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Journal, Write } from './journal.ts'

const PASSWORD = 'Correct-horse-7'
/** Between two writes of one writer. */
const PACE_MS = 20
/** Longer than the service may take to answer. */
const ANSWER_MS_MAX = 8000
const SETTLE_MS_MAX = 20_000

/** A request that was sent, perhaps without an answer, and can be sent again. */
interface Attempt {
  write: Write
  method: string
  path: string
  body: object
  key: string
}

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
  body: any
  retryAfter: string | null
}

/** A person who changes their company without a pause, and who asks again when an answer is missing. */
export class Writer {
  readonly #name: string
  readonly #addressOf: () => string
  readonly #journal: Journal
  readonly #unsettled: Attempt[] = []
  /** When the newest acknowledged write was sent, and when its answer came. */
  newest = { sentMs: 0, answeredMs: 0 }
  companyId = ''
  #accountId = ''
  #accessToken = ''
  #refreshToken = ''
  /** Names the exchange of the newest refresh token, however often it is asked for. */
  #refreshKey = ''
  #count = 0
  #isStopping = false
  #running: Promise<void> = Promise.resolve()

  /** `addressOf` gives the address of the API for the next request. */
  constructor(name: string, addressOf: () => string, journal: Journal) {
    this.#name = name
    this.#addressOf = addressOf
    this.#journal = journal
  }

  async signUp(): Promise<void> {
    const id = `${this.#name}-${randomUUID().slice(0, 8)}`
    const { status, body } = await this.#request('POST', '/auth/register', {
      email: `${id}@example.com`,
      password: PASSWORD,
      name: `Writer ${id}`,
      companyName: `Company ${id}`,
      taxId: id,
    })
    if (status !== 201) throw new Error(`Sign-up: ${status} ${JSON.stringify(body)}`)
    this.companyId = body.data.tenants[0].id
    this.#accountId = body.data.user.id
    this.#keepTokens(body.data)
  }

  start(): void {
    this.#running = this.#write()
  }

  /** Ends after the write under way. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#running
  }

  /** Repeats what was never answered, with its key, until each is acknowledged; and uses the newest refresh token. */
  async settle(): Promise<void> {
    const deadline = Date.now() + SETTLE_MS_MAX
    for (const attempt of this.#unsettled.splice(0))
      while (!(await this.#send(attempt))) {
        if (Date.now() > deadline) return this.#journal.noteWrong(`no answer to ${attempt.write.mark} after the fault`)
        await pause(PACE_MS)
      }
    while (!(await this.#refresh())) {
      if (Date.now() > deadline) return this.#journal.noteWrong(`no answer to the refresh of ${this.#name}`)
      await pause(PACE_MS)
    }
  }

  async #write(): Promise<void> {
    while (!this.#isStopping) {
      const attempt = this.#next()
      if (!(await this.#send(attempt))) this.#unsettled.push(attempt)
      await pause(PACE_MS)
    }
  }

  #next(): Attempt {
    const mark = `${this.#name}-${++this.#count}`
    const write = { companyId: this.companyId, mark }
    const key = randomUUID()
    if (this.#count % 10 === 3) {
      const recipient = `${mark}-${randomUUID().slice(0, 8)}@example.com`
      const body = { name: mark, email: recipient }
      return {
        write: { ...write, kind: 'add', mark: recipient, recipient },
        method: 'POST',
        path: '/companies/users',
        body,
        key,
      }
    }
    const path = `/companies/users/${this.#accountId}`
    return { write: { ...write, kind: 'update' }, method: 'PATCH', path, body: { position: mark }, key }
  }

  /** True: acknowledged. */
  async #send({ write, method, path, body, key }: Attempt): Promise<boolean> {
    if (this.#count % 7 === 0) await this.#refresh()
    const sentMs = performance.now()
    const reply = await this.#request(method, path, body, key).catch(() => undefined)
    if (!reply || !this.#isAcknowledged(reply, `${method} ${path.replace(this.#accountId, ':id')}`)) return false
    this.newest = { sentMs, answeredMs: performance.now() }
    this.#journal.acknowledge(write)
    return true
  }

  async #refresh(): Promise<boolean> {
    const body = { refreshToken: this.#refreshToken }
    const reply = await this.#request('POST', '/auth/refresh', body, this.#refreshKey).catch(() => undefined)
    if (!reply) return false
    if (reply.status === 401) {
      this.#journal.lostSessions.add(this.#name)
      return true
    }
    if (!this.#isAcknowledged(reply, 'POST /auth/refresh')) return false
    this.#keepTokens(reply.body.data)
    return true
  }

  /** Answers other than success may say only that the service is not available for now. */
  #isAcknowledged({ status, body, retryAfter }: Reply, request: string): boolean {
    if (status < 300) return true
    const isInProgress = status === 409 && body.code === 'request_in_progress'
    const isRefused = (status === 503 || status === 429) && retryAfter !== null
    if (!isInProgress && !isRefused)
      this.#journal.noteWrong(`${request} answered ${status} ${body.code ?? ''}, Retry-After ${retryAfter}`)
    return false
  }

  #keepTokens({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }): void {
    this.#accessToken = accessToken
    this.#refreshToken = refreshToken
    this.#refreshKey = randomUUID()
  }

  async #request(method: string, path: string, body: object, key?: string): Promise<Reply> {
    const answer = await fetch(this.#addressOf() + path, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': anyAddress(),
        ...(this.#accessToken && { authorization: `Bearer ${this.#accessToken}`, 'x-company-id': this.companyId }),
        ...(key && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const parsed = text.startsWith('{') ? JSON.parse(text) : {}
    return { status: answer.status, body: parsed, retryAfter: answer.headers.get('retry-after') }
  }
}

/** For a service that trusts its proxy: limits of single routes count each request for another client. */
const anyAddress = () => [203, 0, randomInt(256), randomInt(256)].join('.')
