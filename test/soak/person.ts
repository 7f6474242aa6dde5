import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const PASSWORD = 'Correct-horse-7'
/** Between two requests of one person, on average. */
const PACE_MS = 150
const ACTIONS_PER_SESSION = 60
const SESSIONS_PER_PERSON = 3

/** How many requests were answered, and with what where that was no success. */
export class Answers {
  count = 0
  readonly wrong = new Map<string, number>()

  add(request: string, status: number | string): void {
    this.count++
    if (typeof status === 'number' && status < 400) return
    const what = `${request} answered ${status}`
    this.wrong.set(what, (this.wrong.get(what) ?? 0) + 1)
  }
}

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
  body: any
}

/** One person after the other: each signs up, and then signs in, works and signs out some times. */
export class Person {
  readonly #address: string
  readonly #answers: Answers
  #isStopping = false
  #email = ''
  #networkAddress = ''
  #accountId = ''
  #companyId = ''
  #tokens = { accessToken: '', refreshToken: '' }

  constructor(address: string, answers: Answers) {
    this.#address = address
    this.#answers = answers
  }

  stop(): void {
    this.#isStopping = true
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#signUp()
      for (let session = 0; session < SESSIONS_PER_PERSON && !this.#isStopping; session++) {
        for (let action = 0; action < ACTIONS_PER_SESSION && !this.#isStopping; action++) {
          await pause(randomInt(2 * PACE_MS))
          await this.#act(randomInt(100))
        }
        await this.#send('POST', '/auth/logout', { refreshToken: this.#tokens.refreshToken })
        await this.#signIn()
      }
    }
  }

  async #signUp(): Promise<void> {
    const id = randomUUID().slice(0, 12)
    this.#email = `${id}@example.com`
    this.#networkAddress = anyAddress()
    this.#tokens.accessToken = ''
    const company = { companyName: `Company ${id}`, taxId: id }
    const { status, body } = await this.#send('POST', '/auth/register', {
      email: this.#email,
      password: PASSWORD,
      name: `Person ${id}`,
      ...company,
    })
    if (status !== 201) return
    this.#accountId = body.data.user.id
    this.#companyId = body.data.tenants[0].id
    this.#tokens = body.data
  }

  async #signIn(): Promise<void> {
    this.#tokens.accessToken = ''
    const { status, body } = await this.#send('POST', '/auth/login', { email: this.#email, password: PASSWORD })
    if (status === 200) this.#tokens = body.data
  }

  /** `dice`: from 0 to 99. */
  async #act(dice: number): Promise<void> {
    if (dice < 25) await this.#send('GET', '/companies/users')
    else if (dice < 40) await this.#send('GET', '/auth/me')
    else if (dice < 50) await this.#send('GET', '/companies/audit')
    else if (dice < 58) await this.#send('GET', '/companies/roles')
    else if (dice < 65) await this.#send('GET', '/auth/sessions')
    else if (dice < 88) await this.#change()
    else if (dice < 91) await this.#addMember()
    else if (dice < 92) await this.#forgetPassword()
    else await this.#refresh()
  }

  async #change(): Promise<void> {
    await this.#send('PATCH', `/companies/users/${this.#accountId}`, { position: randomUUID() })
  }

  async #addMember(): Promise<void> {
    const email = `${randomUUID().slice(0, 12)}@example.com`
    await this.#send('POST', '/companies/users', { name: 'New member', email })
  }

  /** From another address each time, because a few from one are enough to be refused. */
  async #forgetPassword(): Promise<void> {
    this.#networkAddress = anyAddress()
    await this.#send('POST', '/auth/forgot-password', { email: this.#email })
  }

  async #refresh(): Promise<void> {
    const { refreshToken } = this.#tokens
    const { status, body } = await this.#send('POST', '/auth/refresh', { refreshToken })
    if (status === 200) this.#tokens = body.data
  }

  async #send(method: string, path: string, body?: object): Promise<Reply> {
    const request = `${method} ${path.replace(this.#accountId || ' ', ':id')}`
    try {
      const answer = await fetch(this.#address + path, {
        method,
        headers: this.#headers(method),
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const parsed = text.startsWith('{') ? JSON.parse(text) : {}
      this.#answers.add(request, answer.status < 400 ? answer.status : `${answer.status} ${parsed.code}`)
      return { status: answer.status, body: parsed }
    } catch (error) {
      this.#answers.add(request, (error as Error).message)
      return { status: 0, body: {} }
    }
  }

  #headers(method: string): Record<string, string> {
    const { accessToken } = this.#tokens
    return {
      'x-forwarded-for': this.#networkAddress,
      ...(method !== 'GET' && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      ...(accessToken && { authorization: `Bearer ${accessToken}`, 'x-company-id': this.#companyId }),
    }
  }
}

const anyAddress = () => [203, 0, randomInt(256), randomInt(256)].join('.')
