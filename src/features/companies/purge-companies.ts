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
  companiesAtOnce?: number
  rowsAtOnce?: number
}

/**
 * Purges what was deleted too long ago to be restored, in small transactions; the next round continues an interrupted
 * one. A company that can’t be purged holds up no other. `isMoreLeft`: others may be due. It is true only after a purge,
 * so that those which fail each time are tried again after a pause alone.
 */
export async function purgeCompanies(database: Database, purge: Purge): Promise<{ isMoreLeft: boolean }> {
  const { signal, companiesAtOnce = COMPANIES_AT_ONCE } = purge
  const tried = new Set<string>()
  while (!signal.aborted) {
    const begun = await beginPurges(database, companiesAtOnce)
    const due = begun.filter((id) => !tried.has(id))
    for (const id of due) tried.add(id)
    const purged = await purgeAll(database, due, purge)
    if (begun.length < companiesAtOnce || due.length === 0) return { isMoreLeft: false }
    if (purged > 0) return { isMoreLeft: true }
  }
  return { isMoreLeft: false }
}

/** How many are gone. */
async function purgeAll(database: Database, companyIds: string[], purge: Purge): Promise<number> {
  let purged = 0
  for (const companyId of companyIds) {
    try {
      if (await purgeCompany(database, companyId, purge)) purged++
    } catch (error) {
      purge.onFailure(error as Error, companyId)
    }
  }
  return purged
}

/** Companies to purge. From here on they can’t be restored. */
async function beginPurges(database: Database, companiesMax: number): Promise<string[]> {
  const { rows } = await database.write(asWorker, (tx) =>
    sql<{ id: string }>`select id from begin_purges(${companiesMax}) as id`.execute(tx),
  )
  return rows.map(({ id }) => id)
}

/** False: it was stopped, or another node purges the company. */
async function purgeCompany(database: Database, companyId: string, purge: Purge): Promise<boolean> {
  const { signal, rowsAtOnce = ROWS_AT_ONCE } = purge
  while (!signal.aborted) {
    const removed = await database.write(asWorker, async (tx) => {
      const { rows } = await sql<{ removed: number | null }>`
        select purge_company_batch(${companyId}, ${rowsAtOnce}) as removed`.execute(tx)
      return rows[0]?.removed ?? null
    })
    if (removed === 0) purge.onPurged(companyId)
    if (!removed) return removed === 0
  }
  return false
}
