import type { Fetch } from './attempts.ts'
import { isJson, problemFrom } from './problem.ts'
import type { paths } from './schema.ts'
import type { BodyOf, PathWith, RefusalOf, SuccessOf, Verb } from './types.ts'

/** Calls by method and path: `http.POST('/api/companies', { body: { name: 'Acme' } })`. What each takes follows from the document. */
export interface Http {
  GET: Method<'get'>
  POST: Method<'post'>
  PUT: Method<'put'>
  PATCH: Method<'patch'>
  DELETE: Method<'delete'>
}

type Method<V extends Verb> = <P extends PathWith<V>>(
  path: P,
  ...init: Optional<InitOf<paths[P][V]>>
) => Promise<Answered<SuccessOf<paths[P][V]>, RefusalOf<paths[P][V]>>>

export type Answered<Body, Refusal> =
  | { data: Body; error?: never; response: Response }
  | { data?: never; error: Refusal; response: Response }

type InitOf<Operation> = CommonInit & ParamsIn<Operation> & BodyIn<Operation>
type ParamsIn<Operation> = Operation extends { parameters: infer P }
  ? P extends { path: unknown } | { query: unknown }
    ? { params: Params<P> }
    : { params?: Params<P> }
  : unknown
type Params<P> = Pick<P, keyof P & ('path' | 'query')>
type BodyIn<Operation> = [BodyOf<Operation>] extends [never] ? unknown : { body: BodyOf<Operation> }
/** May be left out where nothing in it has to be there. */
type Optional<I> = I extends { params: unknown } | { body: unknown } ? [init: I] : [init?: I]

interface CommonInit {
  headers?: Record<string, string | undefined>
  signal?: AbortSignal | undefined
  credentials?: RequestCredentials
  /** Leaves the body of a success to be read from `response`. */
  parseAs?: 'stream'
}

/** What any operation takes. */
export interface Init extends CommonInit {
  params?: { path?: Record<string, string> | undefined; query?: object | undefined }
  body?: unknown
}
export type Ask = (verb: Verb, path: string, init?: Init) => Promise<Answered<unknown, unknown>>

export function createHttp(baseUrl: string, transport: Fetch): { http: Http; ask: Ask } {
  const ask: Ask = async (verb, path, { params, body, headers, parseAs, signal = null, ...init } = {}) => {
    const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
    const request = new Request(baseUrl + filled(path, params?.path) + queryOf(params?.query), {
      ...init,
      signal,
      method: verb.toUpperCase(),
      headers: defined(sent),
      body: body === undefined ? null : JSON.stringify(body),
    })
    const response = await transport(request)
    // A file, where none was asked for.
    if (!parseAs && !isJson(response)) throw problemFrom(undefined, response)
    if (!response.ok) return { error: await response.json(), response }
    return { data: parseAs ? undefined : await response.json(), response }
  }
  const method = (verb: Verb) => (path: string, init?: Init) => ask(verb, path, init)
  const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const
  const http = Object.fromEntries(verbs.map((verb) => [verb.toUpperCase(), method(verb)]))
  return { http: http as unknown as Http, ask }
}

function filled(path: string, ids: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? ''
    // These would lead to another path.
    if (/^\.{0,2}$/.test(id)) throw new TypeError('id is missing')
    return encodeURIComponent(id)
  })
}

function queryOf(query: object = {}): string {
  const search = new URLSearchParams(defined(query)).toString()
  return search && `?${search}`
}

/** Without what is undefined or null. */
function defined(fields: object): [string, string][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
}
