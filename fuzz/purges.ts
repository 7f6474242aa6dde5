import { purgeCompanies } from '../src/features/companies/purge-companies.ts'
import type { Violation } from './response-checks.ts'
import type { World } from './world.ts'

/** Purges all deleted companies as if their 30 days were over. */
export async function purgeViolations({ service: { db, database } }: World): Promise<Violation[]> {
  await db.query(`update companies set deleted_at = now() - interval '31 days' where deleted_at is not null`)
  const violations: Violation[] = []
  const violation = (about: string) => void violations.push({ rule: 'a deleted company is purged', about })
  await purgeCompanies(database, {
    signal: new AbortController().signal,
    onPurged: () => {},
    onFailure: (error, companyId) => violation(`${companyId}: ${error.message}`),
  })
  const left = await db.query<{ id: string }>('select id from companies where deleted_at is not null')
  for (const { id } of left) violation(`${id} was not purged`)
  return violations
}
