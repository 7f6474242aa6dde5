import { type Core, type Input, itemsIn } from './core.ts'
import type { paths } from './schema.ts'
import type {
  Answer,
  BodyOf,
  CallOptions,
  Edited,
  EditOptions,
  ItemOf,
  Page,
  PathTaking,
  PathTakingNone,
  PathWith,
  QueryOf,
  Verb,
} from './types.ts'

type ListPath = PathWith<'get', { responses: { 200: { content: { 'application/json': { total: number } } } } }>

export interface List<Item, Query> {
  /** Every item, page by page as it is read: `for await (const item of list())`. */
  list(query?: Omit<Query, 'page'>, options?: CallOptions): AsyncGenerator<Item, void, undefined>
  page(query?: Query, options?: CallOptions): Promise<Page<Item>>
}

/** Makes the methods of a scope from the operations of the document, by what they take. */
export interface Routes {
  plain<V extends Verb, P extends PathTakingNone<V>>(verb: V, path: P): (options?: CallOptions) => Promise<Answer<V, P>>
  asking<P extends PathTakingNone<'get'>>(
    path: P,
  ): (query: QueryOf<paths[P]['get']>, options?: CallOptions) => Promise<Answer<'get', P>>
  sending<V extends Verb, P extends PathTaking<V>>(
    verb: V,
    path: P,
  ): (body: BodyOf<paths[P][V]>, options?: CallOptions) => Promise<Answer<V, P>>
  sendingTo<P extends PathTaking<'post'>>(
    path: P,
  ): (id: string, body?: BodyOf<paths[P]['post']>, options?: CallOptions) => Promise<Answer<'post', P>>
  one<V extends Verb, P extends PathTakingNone<V>>(
    verb: V,
    path: P,
  ): (id: string, options?: CallOptions) => Promise<Answer<V, P>>
  editing<P extends PathTaking<'patch'>>(
    path: P,
  ): (
    edited: Edited,
    body: BodyOf<paths[P]['patch']>,
    options?: EditOptions & { query?: QueryOf<paths[P]['patch']> },
  ) => Promise<Answer<'patch', P>>
  removing<P extends PathTakingNone<'delete'>>(
    path: P,
  ): (edited: Edited, options?: EditOptions & { query?: QueryOf<paths[P]['delete']> }) => Promise<Answer<'delete', P>>
  lists<P extends ListPath>(path: P): List<ItemOf<paths[P]['get']>, QueryOf<paths[P]['get']>>
}

/** `scope` is part of every call: the company, and what it fills into paths. */
export function createRoutes(core: Core, scope: Input = {}): Routes {
  async function call(verb: Verb, path: string, input: Input): Promise<unknown> {
    const { body, response } = await core.send(verb, path, { ...scope, ...input })
    const etag = response.headers.get('etag')
    return etag ? Object.assign(body.data as object, { etag }) : body.data
  }
  const at = (path: string, id: string) => ({ ...scope.path, [nameOf(path)]: id })
  const edit = (verb: Verb, path: string, edited: Edited, input: Input) => {
    const { id, etag } = typeof edited === 'string' ? { id: edited } : edited
    return call(verb, path, {
      path: at(path, id),
      ...input,
      ifMatch: input.ifMatch === undefined ? etag : input.ifMatch,
    })
  }

  const routes: Untyped = {
    plain: (verb, path) => (options) => call(verb, path, { ...options }),
    asking: (path) => (query, options) => call('get', path, { query, ...options }),
    sending: (verb, path) => (body, options) => call(verb, path, { body, ...options }),
    sendingTo:
      (path) =>
      (id, body = {}, options) =>
        call('post', path, { path: at(path, id), body, ...options }),
    one: (verb, path) => (id, options) => call(verb, path, { path: at(path, id), ...options }),
    editing: (path) => (edited, body, options) => edit('patch', path, edited, { body, ...options }),
    removing: (path) => (edited, options) => edit('delete', path, edited, { ...options }),
    lists: (path) => createList(core, path, scope),
  }
  return routes as unknown as Routes
}

/** The last `{name}` of a path. */
const nameOf = (path: string) => path.slice(path.lastIndexOf('{') + 1, path.lastIndexOf('}'))

interface Untyped {
  plain(verb: Verb, path: string): (options?: CallOptions) => Promise<unknown>
  asking(path: string): (query: object, options?: CallOptions) => Promise<unknown>
  sending(verb: Verb, path: string): (body: object, options?: CallOptions) => Promise<unknown>
  sendingTo(path: string): (id: string, body?: object, options?: CallOptions) => Promise<unknown>
  one(verb: Verb, path: string): (id: string, options?: CallOptions) => Promise<unknown>
  editing(path: string): (edited: Edited, body: object, options?: EditOptions) => Promise<unknown>
  removing(path: string): (edited: Edited, options?: EditOptions) => Promise<unknown>
  lists(path: string): List<unknown, object>
}

function createList(core: Core, path: string, scope: Input): List<unknown, object> {
  const page = async (query?: object, options?: CallOptions) => {
    const success = await core.send('get', path, { ...scope, query, ...options })
    const { total, page, limit } = success.body as unknown as Page<unknown>
    return { items: itemsIn(success), total, page, limit }
  }
  return {
    page,
    async *list(query, options) {
      for (let number = 1; ; number++) {
        const { items, total, limit } = await page({ limit: 100, ...query, page: number }, options)
        yield* items
        // Also where an answer does not count them.
        if (items.length === 0 || !(number * limit < total)) return
      }
    },
  }
}
