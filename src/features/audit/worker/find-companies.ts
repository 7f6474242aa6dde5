import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'

const PAGE_SIZE = 100

/** The ids of all companies with unsealed records, page by page. */
export const unsealedCompanies = (database: Database): AsyncGenerator<string[]> =>
  idPages(database, (after) => sql`select id from audit_companies_unsealed(${after}::uuid, ${PAGE_SIZE}) as id`)

/** The ids of all companies with records older than their retention period, page by page. */
export const expiredCompanies = (database: Database): AsyncGenerator<string[]> =>
  idPages(database, (after) => sql`select id from audit_companies_expired(${after}::uuid, ${PAGE_SIZE}) as id`)

/** By ascending id, so that each comes once, whatever happens to those before it. */
async function* idPages(
  database: Database,
  query: (after: string) => RawBuilder<{ id: string }>,
): AsyncGenerator<string[]> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await query(after).execute(database.autocommit(asWorker))
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < PAGE_SIZE) return
    after = ids.at(-1) as string
  }
}

export interface CompanyHead {
  company_id: string
  seq: number
  hash: string
  signed_at: string
}

/** The heads that were signed since then, page by page. */
export async function* headsSince(since: string, database: Database): AsyncGenerator<CompanyHead[]> {
  for (let after = { signed_at: since, company_id: NIL_UUID }; ; ) {
    const { rows } = await sql<CompanyHead>`
      select company_id, seq, hash, signed_at
      from audit_heads_since(${after.signed_at}::timestamptz, ${after.company_id}::uuid, ${PAGE_SIZE})`.execute(
      database.autocommit(asWorker),
    )
    if (rows.length > 0) yield rows
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1) as CompanyHead
  }
}
