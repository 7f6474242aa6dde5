import type { Fetch } from './attempts.ts'
import { createHttp, type Http } from './http.ts'
import { problemFrom } from './problem.ts'
import type { EditOptions, Schemas, Verb } from './types.ts'

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

/** The items of an answer; throws where it is no list. */
export function itemsIn({ body, response }: Success): unknown[] {
  if (!Array.isArray(body.data)) throw problemFrom(undefined, response)
  return body.data
}

/** What an answer says about who is signed in; throws where it does not. */
export function contextIn({ body, response }: Success): Schemas['SessionContext'] {
  const context = body.data as Partial<Schemas['SessionContext']>
  const { user, tenants, companyPermissions } = context
  if (!(user?.id && Array.isArray(tenants) && companyPermissions)) throw problemFrom(undefined, response)
  return context as Schemas['SessionContext']
}

export interface Core {
  http: Http
  /** Refusals are thrown. */
  send(verb: Verb, path: string, input: Input): Promise<Success>
}

export function createCore(baseUrl: string, transport: Fetch): Core {
  const { http, ask } = createHttp(baseUrl, transport)

  return {
    http,
    async send(verb, path, { path: ids, query, company, ifMatch, idempotencyKey, headers: more, ...init }) {
      const etag = typeof ifMatch === 'object' ? ifMatch?.etag : ifMatch
      const headers = { 'x-company-id': company, 'if-match': etag, 'idempotency-key': idempotencyKey, ...more }
      const { data, error, response } = await ask(verb, path, { ...init, headers, params: { path: ids, query } })
      const body = data as Success['body']
      if (!response.ok || !(init.parseAs || body?.data)) throw problemFrom(error, response)
      return { body, response }
    },
  }
}
