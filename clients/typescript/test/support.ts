import {
  type ClientOptions,
  createClient,
  memoryStore,
  type Tenantry,
  type TokenStore,
  type Tokens,
} from '@tenantry/client'
import type { TestApp } from '../../../test/support/app.ts'
import { contractOf } from '../../../test/support/contract.ts'
import { registration } from '../../../test/support/people.ts'

type Forward = (request: Request) => Promise<Response>
/** What happens to one request instead of being forwarded. */
export type Fault = (request: Request, forward: Forward) => Promise<Response>

/** What lies between a client and the service. Every answer of the service is checked against the document. */
export class Wire {
  readonly sent: Request[] = []
  readonly #faults: { matches: RegExp; fault: Fault }[] = []

  /** Applies to the next request whose method and path match, such as `POST /api/auth/refresh`. */
  fail(matches: RegExp, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ matches, fault })
  }

  /** Forwards everything from now on. */
  heal(): void {
    this.#faults.length = 0
  }

  fetch: Forward = async (request) => {
    const name = nameOf(request)
    this.sent.push(request)
    const index = this.#faults.findIndex(({ matches }) => matches.test(name))
    const [found] = index < 0 ? [] : this.#faults.splice(index, 1)
    return found ? found.fault(request, forward) : forward(request)
  }

  /** The requests that were sent, such as `POST /api/auth/refresh`. */
  get names(): string[] {
    return this.sent.map(nameOf)
  }

  matching(pattern: RegExp): Request[] {
    return this.sent.filter((request) => pattern.test(nameOf(request)))
  }
}

const nameOf = ({ method, url }: Request) => `${method} ${new URL(url).pathname}`

async function forward(request: Request): Promise<Response> {
  const { origin, pathname } = new URL(request.url)
  const response = await fetch(request)
  const text = await response.clone().text()
  contractOf(origin)?.check(request.method, pathname, { status: response.status, headers: response.headers, text })
  return response
}

/** The request is done, but its answer does not arrive. */
export const lost: Fault = async (request, forward) => {
  await forward(request)
  throw new TypeError('fetch failed')
}

/** The request does not arrive. */
export const unreachable: Fault = () => Promise.reject(new TypeError('fetch failed'))

export function answering(status: number, body: string, headers: Record<string, string>): Fault {
  return async () => new Response(body, { status, headers })
}

/** A refusal that the service did not make. */
export function refusing(status: number, code: string, headers: Record<string, string> = {}): Fault {
  const body = JSON.stringify({ statusCode: status, message: 'No', error: 'No', code })
  return answering(status, body, { 'content-type': 'application/json; charset=utf-8', ...headers })
}

export interface TestClient {
  tenantry: Tenantry
  wire: Wire
  store: TokenStore
}

/** A client that waits for nothing between its attempts. */
export function clientOf(service: Pick<TestApp, 'address'>, options: Partial<ClientOptions> = {}): TestClient {
  const wire = new Wire()
  const store = typeof options.session === 'object' ? options.session : memoryStore()
  const common = { baseUrl: service.address, fetch: wire.fetch as typeof fetch, retry: { delayMs: 0 } }
  return { tenantry: createClient({ ...common, session: store, ...options }), wire, store }
}

/** A client that has signed up, with the company that it has created. */
export async function signedUp(service: Pick<TestApp, 'address'>, options: Partial<ClientOptions> = {}) {
  const client = clientOf(service, options)
  const person = registration()
  const state = await client.tenantry.register(person)
  if (state.status !== 'signed_in' || !state.account) throw new Error('not signed up')
  const company = client.tenantry.company(state.companies[0]?.id ?? '')
  client.wire.sent.length = 0
  return { ...client, person, account: state.account, company }
}

/**
 * A browser whose pages are of one origin: it keeps cookies, which no page can read, and gives its pages one `localStorage`.
 * The pages are of another origin than the service, so only requests that ask for it have cookies.
 */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly items = new Map<string, string>()
  readonly #service: Pick<TestApp, 'address'>
  readonly #origin: string
  readonly #tabs: TestClient[] = []

  constructor(service: Pick<TestApp, 'address'>, origin: string) {
    this.#service = service
    this.#origin = origin
  }

  tab(options: Partial<ClientOptions> = {}): TestClient {
    const wire = new Wire()
    const fetch = async (request: Request) => {
      const response = await wire.fetch(this.#dressed(request))
      if (request.credentials === 'include') this.#keep(response)
      return response
    }
    const own = { getItem: (name: string) => this.items.get(name), setItem: this.items.set.bind(this.items) }
    Object.defineProperty(globalThis, 'localStorage', { value: own, configurable: true })
    const client = clientOf(this.#service, { ...options, session: 'cookie', fetch: fetch as typeof globalThis.fetch })
    Reflect.deleteProperty(globalThis, 'localStorage')
    this.#tabs.push(client)
    return { ...client, wire }
  }

  /** Browsers of one process would hear each other. */
  close(): void {
    for (const { tenantry } of this.#tabs) tenantry.close()
  }

  #dressed(request: Request): Request {
    const copy = new Request(request)
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    copy.headers.set('origin', this.#origin)
    if (request.credentials === 'include' && cookies) copy.headers.set('cookie', cookies)
    return copy
  }

  #keep({ headers }: Response): void {
    for (const text of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/Max-Age=0\b/.test(text)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

let names = 0
/** A store that all tabs of one browser share. */
export function sharedStorage(): () => TokenStore {
  const name = `browser ${names++}`
  let kept: Tokens | undefined
  return () => ({
    name,
    load: () => kept,
    save: (tokens) => {
      kept = tokens
    },
  })
}

/** Makes the access token look as if it had been received so long ago. */
export async function age(store: TokenStore, seconds = 900): Promise<void> {
  const tokens = await store.load()
  if (tokens) await store.save({ ...tokens, receivedAt: tokens.receivedAt - seconds * 1000 })
}

/** Resolves when the session shows what is asked for. */
export function until(
  { session }: Tenantry,
  isReached: (state: ReturnType<typeof session.get>) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.subscribe(look)
    function look() {
      if (!isReached(session.get())) return
      stop()
      resolve()
    }
    queueMicrotask(look)
  })
}

/** For `assert.rejects`. */
export const isProblem = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
