import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'
import { NAMING_ACTIONS, NAMING_TARGET_TYPES } from './selections.ts'

const PAGE_SIZE = 500

export interface NamedIn {
  companyIds: string[]
  addresses: string[]
}

/** Where sealed records are by or about the account, and by which addresses they, and those of no company, name it. */
export async function findNamed(database: Database, accountId: string): Promise<NamedIn> {
  const companyIds: string[] = []
  const addresses = new Set(await addressesOutside(database, accountId))
  const rows = pagesOf<{ company_id: string; addresses: string[] }>(
    database,
    (after) => sql`
      select company_id, addresses from audit_companies_of_account(${accountId}::uuid, ${after}::uuid, ${PAGE_SIZE})`,
  )
  for await (const row of rows) {
    if (row.addresses.length > 0) companyIds.push(row.company_id)
    for (const address of row.addresses) if (address !== '') addresses.add(address)
  }
  return { companyIds, addresses: [...addresses] }
}

async function addressesOutside(database: Database, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select audit_addresses_of_account(${accountId}::uuid) as address`.execute(database.autocommit(asWorker))
  return rows.map(({ address }) => address)
}

/** Where sealed records about something else name one of the addresses, or may do so: some companies have too many to tell. */
export async function findMentioning(database: Database, addresses: readonly string[]): Promise<string[]> {
  const companyIds: string[] = []
  const rows = pagesOf<{ company_id: string; is_mentioned: boolean | null }>(
    database,
    (after) => sql`
      select company_id, is_mentioned from audit_companies_mentioning(
        ${addresses}::text[], ${NAMING_ACTIONS}::text[], ${NAMING_TARGET_TYPES}::text[], ${after}::uuid, ${PAGE_SIZE})`,
  )
  for await (const row of rows) if (row.is_mentioned !== false) companyIds.push(row.company_id)
  return companyIds
}

/** By ascending id, so that each comes once, whatever happens to those before it. */
async function* pagesOf<Row extends { company_id: string }>(
  database: Database,
  query: (after: string) => RawBuilder<Row>,
): AsyncGenerator<Row> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await query(after).execute(database.autocommit(asWorker))
    yield* rows
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.company_id as string
  }
}
