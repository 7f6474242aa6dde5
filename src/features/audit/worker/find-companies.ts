import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'

const PAGE_SIZE = 500

/** The ids of all companies with unsealed records, page by page. */
export const unsealedCompanies = (database: Database): AsyncGenerator<string[]> =>
  idPages(
    database,
    (after) => sql`
    select id, true as is_due from audit_companies_unsealed(${after}::uuid, ${PAGE_SIZE}) as id`,
  )

/** The ids of all companies with records older than their retention period, page by page. */
export const expiredCompanies = (database: Database): AsyncGenerator<string[]> =>
  idPages(
    database,
    (after) => sql`
    select company_id as id, is_expired as is_due from audit_companies_expired(${after}::uuid, ${PAGE_SIZE})`,
  )

interface FoundCompany {
  id: string
  is_due: boolean
}

/** By ascending id, so that each comes once, whatever happens to those before it. */
async function* idPages(
  database: Database,
  query: (after: string) => RawBuilder<FoundCompany>,
): AsyncGenerator<string[]> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await query(after).execute(database.autocommit(asWorker))
    const due = rows.filter(({ is_due }) => is_due).map(({ id }) => id)
    if (due.length > 0) yield due
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.id as string
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
