import createHttp, { type Client } from 'openapi-fetch'
import type { Fetch } from './attempts.ts'
import { Problem, problemFrom } from './problem.ts'
import type { paths } from './schema.ts'
import type {
  CallOptions,
  DataOf,
  EditOptions,
  Input,
  ItemOf,
  Page,
  PathOf,
  PathWith,
  QueryOf,
  SuccessOf,
  Verb,
} from './types.ts'

export type Http = Client<paths>

export interface Core {
  http: Http
  /** The body of the answer; refusals are thrown. */
  send<V extends Verb, P extends PathWith<V>>(
    verb: V,
    path: P,
    input: Input<paths[P][V]>,
  ): Promise<SuccessOf<paths[P][V]>>
  /** The `data` of the answer, with its ETag. */
  call<V extends Verb, P extends PathWith<V>>(verb: V, path: P, input: Input<paths[P][V]>): Promise<DataOf<paths[P][V]>>
  /** The answer itself, for downloads. */
  download<P extends PathWith<'get'>>(path: P, input: Input<paths[P]['get']>): Promise<Response>
}

export function createCore(baseUrl: string, transport: Fetch): Core {
  const http = createHttp<paths>({ baseUrl, fetch: transport, pathSerializer: fillIn })
  // Its types follow the path, which is known only to the caller here.
  const request = http.request as unknown as (verb: Verb, path: string, init: object) => Promise<Result>

  async function exchange(verb: Verb, path: string, input: AnyInput, parseAs: 'json' | 'stream'): Promise<Result> {
    const { signal, body, query, path: params } = input
    const init = { signal, body, parseAs, params: { path: params, query }, headers: headersOf(input) }
    const result = await request(verb, path, init).catch((error) => {
      if (error instanceof SyntaxError) throw new Problem('unexpected_response', { cause: error })
      throw error
    })
    if (!result.response.ok) throw problemFrom(result.error, result.response)
    return result
  }

  async function send(verb: Verb, path: string, input: AnyInput): Promise<unknown> {
    const { data, response } = await exchange(verb, path, input, 'json')
    if (typeof data !== 'object' || data === null || !('data' in data)) throw problemFrom(undefined, response)
    const etag = response.headers.get('etag')
    if (etag && typeof data.data === 'object') Object.assign(data.data as object, { etag })
    return data
  }

  return {
    http,
    send: send as unknown as Core['send'],
    call: (async (verb: Verb, path: string, input: AnyInput) =>
      ((await send(verb, path, input)) as { data: unknown }).data) as Core['call'],
    download: (async (path: string, input: AnyInput) =>
      (await exchange('get', path, input, 'stream')).response) as Core['download'],
  }
}

interface Result {
  data?: unknown
  error?: unknown
  response: Response
}

type AnyInput = CallOptions & {
  path?: object
  query?: object
  body?: unknown
  company?: string | undefined
  ifMatch?: EditOptions['ifMatch']
}

function headersOf({ company, ifMatch, idempotencyKey }: AnyInput) {
  return {
    'x-company-id': company,
    'if-match': typeof ifMatch === 'object' ? ifMatch?.etag : ifMatch,
    'idempotency-key': idempotencyKey,
  }
}

/** An id that is empty or a dot would lead to another path. */
function fillIn(path: string, params: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is no id: ${String(value)}`)
    return encodeURIComponent(value)
  })
}

type ListPath = {
  [P in PathWith<'get'>]: SuccessOf<paths[P]['get']> extends { total: number } ? P : never
}[PathWith<'get'>]
type ListQuery<P extends ListPath> = QueryOf<paths[P]['get']>

export interface List<Item, Query> {
  /** Every item, page by page as it is read: `for await (const item of list())`. */
  list(query?: Omit<Query, 'page'>, options?: CallOptions): AsyncGenerator<Item, void, undefined>
  page(query?: Query, options?: CallOptions): Promise<Page<Item>>
}

/** Both ways to read a list. */
export function lists<P extends ListPath>(
  core: Core,
  path: P,
  scope: { company?: string; path?: PathOf<paths[P]['get']> } = {},
): List<ItemOf<paths[P]['get']>, ListQuery<P>> {
  type Item = ItemOf<paths[P]['get']>
  const page = async (query?: ListQuery<P>, options?: CallOptions): Promise<Page<Item>> => {
    const input = { ...scope, ...options, query } as unknown as Input<paths[P]['get']>
    const answer = (await core.send('get', path, input)) as { data: Item[] } & Page<Item>
    return { items: answer.data, total: answer.total, page: answer.page, limit: answer.limit }
  }
  return {
    page,
    list: (query, options) => everyItem((at) => page({ limit: 100, ...query, ...at } as ListQuery<P>, options)),
  }
}

async function* everyItem<Item>(
  read: (at: { page: number }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let page = 1; ; page++) {
    const { items, total, limit } = await read({ page })
    yield* items
    if (items.length === 0 || page * limit >= total) return
  }
}
