import { purgeCompanies } from '../src/features/companies/purge-companies.ts'
import type { Fault } from './judge.ts'
import type { World } from './world.ts'

/** Lets the time pass after which a closed company is removed: it goes with all that it has. */
export async function purgeFaults({ service: { db, database } }: World): Promise<Fault[]> {
  await db.query(`update companies set deleted_at = now() - interval '31 days' where deleted_at is not null`)
  const faults: Fault[] = []
  const fault = (about: string) => void faults.push({ rule: 'a closed company is removed in the end', about })
  await purgeCompanies(database, {
    signal: new AbortController().signal,
    onPurged: () => {},
    onFailure: (error, companyId) => fault(`${companyId}: ${error.message}`),
  })
  const left = await db.query<{ id: string }>('select id from companies where deleted_at is not null')
  for (const { id } of left) fault(`${id} is still there`)
  return faults
}
