import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import type { Part } from '../chain/commitments.ts'
import { openReader } from '../chain/queries.ts'
import { byId, hasSalt, mentions, partsOf } from './selections.ts'

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
  const remaining = { version1: 0, missed: 0 }
  for (const company of companies) {
    const tx = openReader(database, company)
    for (const { version1, missed } of [
      await countById(tx, accountId, addresses),
      await countByAddress(tx, accountId, addresses),
    ]) {
      remaining.version1 += version1
      remaining.missed += missed
    }
  }
  return remaining
}

/** Of the sealed ones; and of those that are not sealed yet, which are few. Each condition has an index. */
async function countById(tx: Tx, accountId: string, addresses: readonly string[]): Promise<Remaining> {
  const sealed = sql`select id, v = 1 as is_version1 from audit_records where company_id = current_company() and seq is not null`
  const selected = byId(accountId).map(
    ({ part, kind, where }) => sql`${sealed} and ${isLeft(part)} and ${kind.is} and ${where}`,
  )
  const isNaming = [...byId(accountId), ...mentions(addresses)].map(({ kind, where }) => sql`(${kind.is} and ${where})`)
  const { rows } = await sql<Remaining>`
    select count(*) filter (where is_version1)::int as version1, count(*) filter (where not is_version1)::int as missed
    from (
      ${sql.join(selected, sql` union `)}
      union
      select id, false from audit_records where company_id = current_company() and seq is null and (${sql.join(isNaming, sql` or `)})
    ) naming`.execute(tx)
  return rows[0] as Remaining
}

/** Of those that are not counted by the id. A record may name the person as both actor and target. */
async function countByAddress(tx: Tx, accountId: string, addresses: readonly string[]): Promise<Remaining> {
  const found = new Map<string, boolean>()
  const counted = byId(accountId).map(({ part, kind, where }) => sql`(${isLeft(part)} and ${kind.is} and ${where})`)
  for (const { part, kind, where } of addresses.length > 0 ? mentions(addresses) : []) {
    for await (const isInPart of partsOf(tx, kind)) {
      const { rows } = await sql<{ id: string; is_version1: boolean }>`
        select id, v = 1 as is_version1 from audit_records
        where company_id = current_company() and seq is not null and ${isInPart} and ${isLeft(part)} and ${where}
          and (${sql.join(counted, sql` or `)}) is not true`.execute(tx)
      for (const { id, is_version1 } of rows) found.set(id, is_version1)
    }
  }
  const version1 = [...found.values()].filter((isVersion1) => isVersion1).length
  return { version1, missed: found.size - version1 }
}

const isLeft = (part: Part) => sql`(v = 1 or ${hasSalt(part)})`
