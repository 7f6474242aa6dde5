import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'

const COMPANIES_AT_ONCE = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

const finders = { unsealed: sql`audit_companies_unsealed`, expired: sql`audit_companies_expired` }
export type RecordsToHandle = keyof typeof finders

/** Every company with records to seal, or with expired records: in batches, each company once. */
export async function* companiesWith(records: RecordsToHandle, database: Database): AsyncGenerator<string[]> {
  const find = finders[records]
  for (let after = FIRST; ; ) {
    const { rows } = await sql<{ id: string }>`
      select id from ${find}(${after}::uuid, ${COMPANIES_AT_ONCE}) as id`.execute(database.autocommit(asWorker))
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < COMPANIES_AT_ONCE) return
    after = ids.at(-1) as string
  }
}

/** The end of a company's chain. */
export interface Head {
  company_id: string
  seq: number
  hash: string
  signed_at: string
}

const HEADS_AT_ONCE = 100

/** The ends of the chains that grew since then, some at a time. */
export async function* headsSince(since: string, database: Database): AsyncGenerator<Head[]> {
  for (let from = { signed_at: since, company_id: FIRST }; ; ) {
    const { rows } = await sql<Head>`
      select company_id, seq, hash, signed_at
      from audit_heads_since(${from.signed_at}::timestamptz, ${from.company_id}::uuid, ${HEADS_AT_ONCE})`.execute(
      database.autocommit(asWorker),
    )
    if (rows.length > 0) yield rows
    if (rows.length < HEADS_AT_ONCE) return
    from = rows.at(-1) as Head
  }
}
