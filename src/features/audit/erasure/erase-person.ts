import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { MAX_UUID } from '../../../lib/ids.ts'
import { BATCH_RECORDS_MAX } from '../chain/batch.ts'
import type { AuditDeps } from '../deps.ts'
import { isBeingPurged } from '../is-being-purged.ts'
import type { AuditActor, Changes } from '../records.ts'
import { unsealedCompanies } from '../worker/find-companies.ts'
import { Erasure, sealIntact } from './erasure.ts'
import { findMentioning, findNamed } from './find-companies.ts'
import { type Remaining, remainingIn } from './remaining.ts'
import { byId, mentions, type Selection } from './selections.ts'

export interface Person {
  accountId: string
  /** Those that the account has now. */
  addresses: readonly string[]
  /** Leaves those that are another account's by now. */
  withoutForeign(addresses: readonly string[]): Promise<string[]>
}

export interface Erased {
  /** Parts of records: one that a person did to themselves has two. */
  parts: number
  companies: number
  remaining: Remaining
}

/**
 * Erases a person from the audit logs of all companies, as an actor and as a target, and from the records of no company
 * (docs/decisions/0045-erasable-audit-records.md). Done in short transactions; one that was stopped is done again from the
 * start. What names the person by an address alone goes first, because the records with the ids tell which addresses.
 */
export async function erasePerson(
  deps: AuditDeps,
  operator: AuditActor,
  person: Person,
  note: Changes,
): Promise<Erased> {
  await sealAll(deps)
  const { accountId } = person
  const named = await findNamed(deps.database, accountId)
  const addresses = await person.withoutForeign([...new Set([...person.addresses, ...named.addresses])])
  const mentioning = addresses.length > 0 ? await findMentioning(deps.database, addresses) : []

  const erasure = new Erasure(deps, { operator, accountId, note })
  const eraseIn = (company: string, selections: Selection[]) =>
    unlessPurged(deps.database, company, () => erasure.eraseIn(company, selections))
  for (const company of mentioning) await eraseIn(company, mentions(addresses))
  for (const company of named.companyIds) await eraseIn(company, byId(accountId))
  await eraseOutside(deps.database, accountId, addresses)
  const remaining = await remainingIn(
    deps.database,
    new Set([...named.companyIds, ...mentioning]),
    accountId,
    addresses,
  )
  return { parts: erasure.parts, companies: erasure.companies, remaining }
}

/** Only sealed records have salts. Those of a broken chain can't be sealed, and remain. */
async function sealAll(deps: AuditDeps): Promise<void> {
  for await (const companies of unsealedCompanies(deps.database))
    for (const company of companies) await unlessPurged(deps.database, company, () => sealIntact(deps, company))
}

async function unlessPurged(database: Database, company: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch(async (error) => {
    if (!(await isBeingPurged(database, company))) throw error
  })
}

async function eraseOutside(database: Database, accountId: string, addresses: string[]): Promise<void> {
  const account = sql`${accountId}::uuid`
  const listed = sql`${addresses}::text[]`
  await inBatches(database, (next) => sql`erase_account_records(${account}, false, ${listed}, ${next})`)
  await inBatches(database, (next) => sql`erase_account_records(${account}, true, ${listed}, ${next})`)
  await inBatches(database, (next) => sql`erase_from_changed_addresses(${listed}, ${next})`)
}

/** Each in a transaction, until none is left. `next`: the last two arguments of the function, of the next batch. */
async function inBatches(database: Database, call: (next: RawBuilder<unknown>) => RawBuilder<unknown>): Promise<void> {
  for (let before: string | null = MAX_UUID; before !== null; ) {
    const next: RawBuilder<unknown> = sql`${before}::uuid, ${BATCH_RECORDS_MAX}`
    const { rows } = await database.write(asWorker, (tx) =>
      sql<{ last: string | null }>`select ${call(next)} as last`.execute(tx),
    )
    before = rows[0]?.last ?? null
  }
}
