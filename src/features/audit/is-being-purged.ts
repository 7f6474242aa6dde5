import type { Database } from '../../database/open.ts'
import { inCompany } from '../../database/scopes.ts'

/** Whether the company is being purged, or is gone: what fails there meanwhile has nothing left to do. */
export async function isBeingPurged(database: Database, companyId: string): Promise<boolean> {
  const kept = await database
    .autocommit(inCompany(companyId, ''))
    .selectFrom('companies')
    .select('id')
    .where('id', '=', companyId)
    .where('purge_started_at', 'is', null)
    .execute()
  return kept.length === 0
}
