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
