import { type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { MAX_UUID, NIL_UUID } from '../../../lib/ids.ts'
import { openReader } from '../chain/queries.ts'
import { addressIn, byId, NAMING_ACTIONS, NAMING_TARGET_TYPES, partsOf, RECORDS_AT_ONCE } from './selections.ts'

const COMPANIES_AT_ONCE = 500
/** Fewer, because each has some hundreds of records to look at. */
const LOOKED_INTO_AT_ONCE = 100

export interface NamedIn {
  companyIds: string[]
  addresses: string[]
}

/** Where sealed records are by or about the account, and by which addresses they, and those of no company, name it. */
export async function findNamed(database: Database, accountId: string): Promise<NamedIn> {
  const companyIds: string[] = []
  const addresses = await addressesOutside(database, accountId)
  const rows = pagesOf<{ company_id: string; is_named: boolean }>(
    database,
    COMPANIES_AT_ONCE,
    (after) => sql`
      select company_id, is_named from audit_companies_of_account(${accountId}::uuid, ${after}::uuid, ${COMPANIES_AT_ONCE})`,
  )
  for await (const { company_id, is_named } of rows) {
    if (!is_named) continue
    companyIds.push(company_id)
    for (const address of await addressesIn(database, company_id, accountId)) addresses.add(address)
  }
  return { companyIds, addresses: [...addresses] }
}

interface Acted {
  last: string | null
  addresses: string[]
}

async function addressesOutside(database: Database, accountId: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let before: string | null | undefined = MAX_UUID; before; ) {
    const { rows }: QueryResult<Acted> = await sql<Acted>`
      select last, addresses from audit_addresses_of_account(
        ${accountId}::uuid, ${before}::uuid, ${RECORDS_AT_ONCE})`.execute(database.autocommit(asWorker))
    for (const address of rows[0]?.addresses ?? []) found.add(address)
    before = rows[0]?.last
  }
  return found
}

async function addressesIn(database: Database, company: string, accountId: string): Promise<Set<string>> {
  const tx = openReader(database, company)
  const found = new Set<string>()
  for (const { part, kind, where } of byId(accountId))
    for await (const isInPart of partsOf(tx, kind)) {
      const { rows } = await sql<{ address: string }>`
        select distinct ${addressIn(part)} as address from audit_records
        where company_id = current_company() and seq is not null and ${isInPart} and ${where}`.execute(tx)
      for (const { address } of rows) found.add(address)
    }
  found.delete('')
  return found
}

/** Where sealed records about something else name one of the addresses, or may do so: some companies have too many to tell. */
export async function findMentioning(database: Database, addresses: readonly string[]): Promise<string[]> {
  const companyIds: string[] = []
  const rows = pagesOf<{ company_id: string; is_mentioned: boolean | null }>(
    database,
    LOOKED_INTO_AT_ONCE,
    (after) => sql`
      select company_id, is_mentioned from audit_companies_mentioning(
        ${addresses}::text[], ${NAMING_ACTIONS}::text[], ${NAMING_TARGET_TYPES}::text[], ${after}::uuid, ${LOOKED_INTO_AT_ONCE})`,
  )
  for await (const row of rows) if (row.is_mentioned !== false) companyIds.push(row.company_id)
  return companyIds
}

/** By ascending id, so that each comes once, whatever happens to those before it. */
async function* pagesOf<Row extends { company_id: string }>(
  database: Database,
  size: number,
  query: (after: string) => RawBuilder<Row>,
): AsyncGenerator<Row> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await query(after).execute(database.autocommit(asWorker))
    yield* rows
    if (rows.length < size) return
    after = rows.at(-1)?.company_id as string
  }
}
