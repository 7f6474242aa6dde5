import { type RawBuilder, sql } from 'kysely'
import { auditActions, auditTargetTypes } from '../../../access/actions.ts'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'

const PAGE_SIZE = 500

/** People are named by these in no other way than by an id. Any other kind of target may be labeled with an address. */
const NAMED_BY_ID: readonly string[] = ['account', 'member', 'session', 'company', 'role', 'branch', 'route']
export const NAMING_TARGET_TYPES = auditTargetTypes.filter((type) => !NAMED_BY_ID.includes(type))
/** But records of these actions name people by their addresses. Their targets are companies. */
export const NAMING_ACTIONS = auditActions.filter((action) => action.startsWith('ownership.'))

/**
 * Whether a record is about the account, as the verification sees it (accountOfTarget in ../chain/erasures.ts). A caller may send the
 * id of an account in the place of another one: what is recorded of that says nothing of a person. The records of an erasure name
 * the account by its id alone, and are what the verification looks for.
 */
export const isTarget = (accountId: string) =>
  sql`target_id = ${accountId} and target_type in ('account', 'member') and action <> 'audit.erase'`

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

/** Where sealed records about something else name one of the addresses. */
export async function findMentioning(database: Database, addresses: readonly string[]): Promise<string[]> {
  const companyIds: string[] = []
  const rows = pagesOf<{ company_id: string; is_mentioned: boolean }>(
    database,
    (after) => sql`
      select company_id, is_mentioned from audit_companies_mentioning(
        ${addresses}::text[], ${NAMING_ACTIONS}::text[], ${NAMING_TARGET_TYPES}::text[], ${after}::uuid, ${PAGE_SIZE})`,
  )
  for await (const row of rows) if (row.is_mentioned) companyIds.push(row.company_id)
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
