import { contractOf } from './contract.ts'

/** An answer of the service, with its body read. */
export interface Answer {
  status: number
  headers: Headers
  // Tests look at answers the way a client does: without types.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

export interface RequestOptions {
  token?: string | undefined
  company?: string | undefined
  headers?: Record<string, string>
  /** Sent unchanged instead of a JSON body. */
  raw?: string
}

/** Sends requests below `/api`, and checks every answer against the OpenAPI document of the service. */
export class Client {
  readonly address: string
  readonly #defaults: RequestOptions

  constructor(address: string, defaults: RequestOptions = {}) {
    this.address = address
    this.#defaults = defaults
  }

  with(defaults: RequestOptions): Client {
    return new Client(this.address, { ...this.#defaults, ...defaults })
  }

  get = (path: string, options?: RequestOptions) => this.send('GET', path, undefined, options)
  post = (path: string, body?: unknown, options?: RequestOptions) => this.send('POST', path, body, options)
  put = (path: string, body?: unknown, options?: RequestOptions) => this.send('PUT', path, body, options)
  patch = (path: string, body?: unknown, options?: RequestOptions) => this.send('PATCH', path, body, options)
  delete = (path: string, body?: unknown, options?: RequestOptions) => this.send('DELETE', path, body, options)

  async send(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const { token, company, headers, raw } = { ...this.#defaults, ...options }
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(this.address + path, {
      method,
      headers: {
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(company !== undefined && { 'x-company-id': company }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const text = await response.text()
    this.#check(method, path, response, text)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text }
  }

  #check(method: string, path: string, { status, headers }: Response, text: string): void {
    const contract = contractOf(this.address)
    if (!contract) throw new Error(`No document is known for ${this.address}: register it with checkAnswersFrom()`)
    const { pathname } = new URL(this.address + path)
    contract.check(method, pathname, { status, headers, text })
  }
}
