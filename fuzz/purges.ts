import { purgeCompanies } from '../src/features/companies/purge-companies.ts'
import type { Violation } from './response-checks.ts'
import type { World } from './world.ts'

/** Lets the time pass after which a closed company is removed: it goes with all that it has. */
export async function purgeViolations({ service: { db, database } }: World): Promise<Violation[]> {
  await db.query(`update companies set deleted_at = now() - interval '31 days' where deleted_at is not null`)
  const violations: Violation[] = []
  const violation = (about: string) => void violations.push({ rule: 'a closed company is removed in the end', about })
  await purgeCompanies(database, {
    signal: new AbortController().signal,
    onPurged: () => {},
    onFailure: (error, companyId) => violation(`${companyId}: ${error.message}`),
  })
  const left = await db.query<{ id: string }>('select id from companies where deleted_at is not null')
  for (const { id } of left) violation(`${id} is still there`)
  return violations
}
