import createHttp, { type Client } from 'openapi-fetch'
import type { Fetch } from './attempts.ts'
import { problemFrom } from './problem.ts'
import type { paths } from './schema.ts'
import type { EditOptions, Verb } from './types.ts'

/** What a call sends besides its method and path. */
export interface Input extends EditOptions {
  path?: Record<string, string>
  query?: object | undefined
  body?: unknown
  company?: string
  parseAs?: 'stream'
  headers?: Record<string, string>
  credentials?: 'include'
}

/** An answer that is a success. */
export interface Success {
  body: { data: unknown; [key: string]: unknown }
  response: Response
}

export interface Core {
  http: Client<paths>
  /** Refusals are thrown. */
  send(verb: Verb, path: string, input: Input): Promise<Success>
}

export function createCore(baseUrl: string, transport: Fetch): Core {
  const http = createHttp<paths>({ baseUrl, fetch: transport })
  // Its types follow the path, which only routes.ts knows.
  const request = http.request as unknown as (verb: Verb, path: string, init: object) => Promise<Result>

  return {
    http,
    async send(verb, path, { path: params, query, company, ifMatch, idempotencyKey, headers: more, ...init }) {
      // They would lead to another path.
      if (Object.values(params ?? {}).some((id) => /^\.{0,2}$/.test(id))) throw new TypeError('id is missing')
      const etag = typeof ifMatch === 'object' ? ifMatch?.etag : ifMatch
      const headers = { 'x-company-id': company, 'if-match': etag, 'idempotency-key': idempotencyKey, ...more }
      const { data, error, response } = await request(verb, path, { ...init, headers, params: { path: params, query } })
      if (!response.ok || !(init.parseAs || data?.data)) throw problemFrom(error, response)
      return { body: data as Success['body'], response }
    },
  }
}

interface Result {
  data?: Partial<Success['body']>
  error?: unknown
  response: Response
}
