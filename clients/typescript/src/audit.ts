import { type Core, itemsIn } from './core.ts'
import type { Routes } from './routes.ts'
import type { paths } from './schema.ts'
import type { AuditRecord, CallOptions, QueryOf } from './types.ts'

const PATH = '/api/companies/audit'
type Query = QueryOf<paths[typeof PATH]['get']>
type ExportQuery = QueryOf<paths['/api/companies/audit/export']['get']>

export interface AuditPage {
  items: AuditRecord[]
  /** Sent back as `cursor` it gives the next page; null on the last one. */
  nextCursor: string | null
}

export function createAudit(core: Core, inside: Routes, company: string) {
  async function page(query?: Query, options?: CallOptions): Promise<AuditPage> {
    const success = await core.send('get', PATH, { company, query, ...options })
    const { nextCursor } = success.body as Partial<AuditPage>
    return { items: itemsIn(success) as AuditRecord[], nextCursor: nextCursor ?? null }
  }

  return {
    page,
    /** Changes and refused attempts, newest first, page by page as they are read. */
    async *list(query?: Query, options?: CallOptions): AsyncGenerator<AuditRecord, void, undefined> {
      for (let cursor = query?.cursor; ; ) {
        const { items, nextCursor } = await page({ limit: 100, ...query, ...(cursor && { cursor }) }, options)
        yield* items
        if (!nextCursor) return
        cursor = nextCursor
      }
    },
    verify: inside.plain('get', `${PATH}/verify`),
    /** Every record as NDJSON, or CSV with `format: 'csv'`: a stream, or a file by `await response.blob()`. */
    async export(query?: ExportQuery, options?: CallOptions): Promise<Response> {
      const input = { company, query, parseAs: 'stream', ...options } as const
      return (await core.send('get', `${PATH}/export`, input)).response
    },
    settings: {
      get: inside.plain('get', `${PATH}/settings`),
      update: inside.sending('patch', `${PATH}/settings`),
    },
  }
}
