import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'

/** A batch of members with all their rows takes a few tenths of a second at most. */
const ROWS_AT_ONCE = 1000
const COMPANIES_AT_ONCE = 100

export interface Purge {
  signal: AbortSignal
  onPurged(companyId: string): void
  onFailure(error: Error, companyId: string): void
  rowsAtOnce?: number
}

/**
 * Purges what was deleted too long ago to be restored, in small transactions; the next round continues an interrupted
 * one. A company that can’t be purged holds up no other.
 */
export async function purgeCompanies(database: Database, purge: Purge): Promise<void> {
  for (const companyId of await beginPurges(database)) {
    try {
      await purgeCompany(database, companyId, purge)
    } catch (error) {
      purge.onFailure(error as Error, companyId)
    }
  }
}

/** Companies to purge. From here on they can’t be restored. */
async function beginPurges(database: Database): Promise<string[]> {
  const { rows } = await database.write(asWorker, (tx) =>
    sql<{ id: string }>`select id from begin_purges(${COMPANIES_AT_ONCE}) as id`.execute(tx),
  )
  return rows.map(({ id }) => id)
}

async function purgeCompany(database: Database, companyId: string, purge: Purge): Promise<void> {
  const { signal, rowsAtOnce = ROWS_AT_ONCE } = purge
  while (!signal.aborted) {
    const removed = await database.write(asWorker, async (tx) => {
      const { rows } = await sql<{ removed: number | null }>`
        select purge_company_batch(${companyId}, ${rowsAtOnce}) as removed`.execute(tx)
      return rows[0]?.removed ?? null
    })
    if (removed === 0) purge.onPurged(companyId)
    if (!removed) return
  }
}
