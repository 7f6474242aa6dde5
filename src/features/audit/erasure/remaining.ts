import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { openReader } from '../chain/queries.ts'
import { byId, hasSalt, mentions, partsOf, type Selection } from './selections.ts'

/** Records that name the person after an erasure. */
export interface Remaining {
  /** Sealed by release 0.2.0, whose hashes cover the values themselves. */
  version1: number
  /** Written meanwhile, or in a chain that is broken. */
  missed: number
}

export async function remainingIn(
  database: Database,
  companies: Iterable<string>,
  accountId: string,
  addresses: readonly string[],
): Promise<Remaining> {
  const selections = [...byId(accountId), ...(addresses.length > 0 ? mentions(addresses) : [])]
  const remaining = { version1: 0, missed: 0 }
  for (const company of companies) {
    const tx = openReader(database, company)
    // By id: a record may name the person as both actor and target, or by both the id and an address.
    const found = new Map<string, boolean>()
    for (const selection of selections)
      for await (const { id, is_version1 } of findSealed(tx, selection)) found.set(id, is_version1)
    for (const { id } of await findUnsealed(tx, selections)) found.set(id, false)
    const version1 = [...found.values()].filter((isVersion1) => isVersion1).length
    remaining.version1 += version1
    remaining.missed += found.size - version1
  }
  return remaining
}

interface Found {
  id: string
  is_version1: boolean
}

async function* findSealed(tx: Tx, { part, kind, where }: Selection): AsyncGenerator<Found> {
  for await (const isInPart of partsOf(tx, kind)) {
    const { rows } = await sql<Found>`
      select id, v = 1 as is_version1 from audit_records
      where company_id = current_company() and seq is not null and ${isInPart} and (v = 1 or ${hasSalt(part)})
        and ${where}`.execute(tx)
    yield* rows
  }
}

/** They are few, and no index tells their kinds apart. */
async function findUnsealed(tx: Tx, selections: Selection[]): Promise<{ id: string }[]> {
  const isNaming = selections.map(({ kind, where }) => sql`(${kind.is} and ${where})`)
  const { rows } = await sql<{ id: string }>`
    select id from audit_records
    where company_id = current_company() and seq is null and (${sql.join(isNaming, sql` or `)})`.execute(tx)
  return rows
}
