import assert from 'node:assert/strict'
import { newId } from '../../src/lib/ids.ts'
import type { Answer, Client, RequestOptions } from './client.ts'
import { type Person, registration } from './people.ts'

/** A page in a browser that keeps its session in a cookie. It sends its origin, and the cookies that it was given. */
export class Page {
  readonly #client: Client
  readonly origin: string
  readonly cookies = new Map<string, string>()
  accessToken = ''

  constructor(client: Client, origin: string) {
    this.#client = client
    this.origin = origin
  }

  /** Another page of the same browser as it is now: a later answer to one does not reach the other. */
  duplicate(): Page {
    const copy = new Page(this.#client, this.origin)
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    copy.accessToken = this.accessToken
    return copy
  }

  register = (details = registration(), options: RequestOptions = {}) =>
    this.send('/auth/register', { ...details, sessionIn: 'cookie' }, options)

  signIn = ({ email, password }: { email: string; password: string }, options: RequestOptions = {}) =>
    this.send('/auth/login', { email, password, sessionIn: 'cookie' }, options)

  refresh = (body?: unknown, options: RequestOptions = {}) =>
    this.send('/auth/refresh', body, { ...options, headers: { 'x-session': 'cookie', ...options.headers } })

  signOut = (body?: unknown, options: RequestOptions = {}) =>
    this.send('/auth/logout', body, { ...options, headers: { 'x-session': 'cookie', ...options.headers } })

  async send(path: string, body?: unknown, { headers, ...options }: RequestOptions = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.#client.post(path, body, {
      token: this.accessToken || undefined,
      headers: { origin: this.origin, ...(cookie && { cookie }), ...headers },
      ...options,
    })
    for (const text of answer.headers.getSetCookie()) this.#keep(text)
    this.accessToken = answer.body.data?.accessToken ?? this.accessToken
    return answer
  }

  #keep(text: string): void {
    const { name, value, maxAge } = readSetCookie(text)
    if (maxAge === 0) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** The parts of one `Set-Cookie`. */
export function readSetCookie(text: string) {
  const [pair = '', ...attributes] = text.split('; ')
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  const maxAge = Number(attributes.find((each) => each.startsWith('Max-Age='))?.slice('Max-Age='.length))
  return { name, value, maxAge, attributes: attributes.filter((each) => !each.startsWith('Max-Age=')) }
}

/** The only cookie of an answer. */
export function cookieOf({ headers }: Answer) {
  const [text, ...more] = headers.getSetCookie()
  assert.deepEqual(more, [])
  assert.ok(text, 'sets no cookie')
  return readSetCookie(text)
}

export const withKey = (key = newId()): RequestOptions => ({ headers: { 'idempotency-key': key } })

export const sessionOf = (token: string): Person['sessionId'] =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).sid
