import type { Core } from './core.ts'
import type { paths } from './schema.ts'
import type { AuditRecord, CallOptions, QueryOf, Schemas } from './types.ts'

const PATH = '/api/companies/audit'
type Query = QueryOf<paths[typeof PATH]['get']>

export interface AuditPage {
  items: AuditRecord[]
  /** Sent back as `cursor` it gives the next page; null on the last one. */
  nextCursor: string | null
}

export function createAudit(core: Core, company: string) {
  async function page(query?: Query, options?: CallOptions): Promise<AuditPage> {
    const { data, nextCursor } = await core.send('get', PATH, { company, query, ...options })
    return { items: data, nextCursor }
  }

  return {
    page,
    /** Changes and refused attempts, newest first, page by page as they are read. */
    async *list(query?: Query, options?: CallOptions): AsyncGenerator<AuditRecord, void, undefined> {
      for (let cursor = query?.cursor; ; ) {
        const { items, nextCursor } = await page({ limit: 100, ...query, ...(cursor && { cursor }) }, options)
        yield* items
        if (nextCursor === null) return
        cursor = nextCursor
      }
    },
    verify: (options?: CallOptions) => core.call('get', `${PATH}/verify`, { company, ...options }),
    /** Every record as NDJSON, or CSV with `format: 'csv'`: a stream, or a file by `await response.blob()`. */
    export: (query?: QueryOf<paths['/api/companies/audit/export']['get']>, options?: CallOptions): Promise<Response> =>
      core.download(`${PATH}/export`, { company, query, ...options }),
    settings: {
      get: (options?: CallOptions) => core.call('get', `${PATH}/settings`, { company, ...options }),
      update: (body: Schemas['AuditSettingsUpdate'], options?: CallOptions) =>
        core.call('patch', `${PATH}/settings`, { company, body, ...options }),
    },
  }
}
