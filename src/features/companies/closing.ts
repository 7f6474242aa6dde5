import { sql } from 'kysely'
import { authorityOf } from '../../authority.ts'
import type { Actor, Member } from '../../callers.ts'
import type { Config } from '../../config.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, enterCompany } from '../../database/tenancy.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { type Bounds, boundsOfNotice, postOrRefuse } from '../mail/letters.ts'
import { ownersOf } from '../members/owners.ts'
import { findStanding, lockedAuthority, readerOf, type Sender } from '../members/standing.ts'
import { type Company, companyOf, companySubject } from './companies.ts'
import { dropOffer } from './transfers.ts'

/**
 * From its commit on the company is gone for everybody: access no longer finds it, and requests that came in before wait
 * for the company's lock and find it gone, too. Its Owners can take it back until it is purged.
 */
export async function closeCompany(tx: Tx, actor: Member, config: Config): Promise<{ id: string }> {
  await lockedAuthority(tx, actor, 'companies:delete', 'company_not_found')

  const company = await tx
    .updateTable('companies')
    .set({ deleted_at: sql`now()`, updated_at: sql`now()` })
    .returning(['id', 'name', 'locale', 'timezone', sql<string>`now() + restorable_for()`.as('until')])
    .executeTakeFirstOrThrow()
  await dropOffer(tx)
  await tellOwners(tx, boundsOfNotice(config.emailLimits), company, actor.name)
  await record(tx, actor, 'companies.delete', companySubject(company))
  return { id: company.id }
}

const LETTERS_MAX = 100

/** In the order of addresses, so that two companies with the same Owners do not wait for each other in a circle. */
async function tellOwners(tx: Tx, bounds: Bounds, company: Sender & { until: string }, by: string): Promise<void> {
  const { name, timezone, until } = company
  const owners = await ownersOf(tx, LETTERS_MAX)
  for (const owner of owners.sort((a, b) => (a.email < b.email ? -1 : 1)))
    await postOrRefuse(tx, bounds, 'company_deleted', readerOf(owner, company), { company: name, by, until, timezone })
}

/** For one of its Owners, while the company can still be restored; to everybody else it is not there. */
export async function restoreCompany(database: Database, actor: Actor, companyId: string): Promise<Company> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    await enterOwnCompany(tx, actor, companyId)
    const company = await lockClosed(tx)
    const own = await findStanding(tx, actor.accountId)
    if (!company || own?.status !== 'active' || !own.is_opened) throw problem('company_not_found')
    if (!company.isClosed) throw problem('company_not_deleted')
    if (!company.isRestorable || !authorityOf(own.roles).isOwner) throw problem('company_not_found')

    await tx.updateTable('companies').set({ deleted_at: null, updated_at: sql`now()` }).execute()
    await record(tx, actor, 'companies.restore', companySubject(company))
    return companyOf(tx, actor.accountId)
  })
}

/** As an account one sees one's own open memberships alone, so no other company is entered by its id. */
async function enterOwnCompany(tx: Tx, { accountId }: Actor, companyId: string): Promise<void> {
  const membership = await tx
    .selectFrom('memberships')
    .select('company_id')
    .where('company_id', '=', companyId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!membership) throw problem('company_not_found')
  await enterCompany(tx, companyId, accountId)
}

/** The lock that a purge begins with, too: of the two one comes first, and the other one finds nothing to do. */
async function lockClosed(tx: Tx) {
  return tx
    .selectFrom('companies')
    .select(['id', 'name', sql<boolean>`deleted_at is not null`.as('isClosed')])
    .select(
      sql<boolean>`coalesce(deleted_at + restorable_for() > now(), false) and purge_started_at is null`.as(
        'isRestorable',
      ),
    )
    .forNoKeyUpdate()
    .executeTakeFirst()
}
