import { sql } from 'kysely'
import type { Actor, CompanyActor } from '../../access/actors.ts'
import { authorityOf } from '../../access/authority.ts'
import { findMembership } from '../../access/memberships.ts'
import { listOwners } from '../../access/owners.ts'
import type { Config, EmailLimits } from '../../config/config.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, enterCompany } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { companySubject } from '../audit/subjects.ts'
import { type CompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueWithinLimits, noticeLimits } from '../mail/outbox/enqueue.ts'
import { dropOffer } from '../ownership/transfers.ts'
import { getCompany } from './companies.ts'
import type { Company } from './schemas.ts'

/**
 * From its commit on the company is gone for everybody: access no longer finds it, and requests that came in before wait
 * for the company's lock and find it gone, too. Its Owners can take it back until it is purged.
 */
export async function deleteCompany(tx: Tx, actor: CompanyActor, config: Config): Promise<{ id: string }> {
  const company = await tx
    .updateTable('companies')
    .set({ deleted_at: sql`now()`, updated_at: sql`now()` })
    .returning(['id', 'name', 'locale', 'timezone', sql<string>`now() + restorable_for()`.as('until')])
    .executeTakeFirstOrThrow()
  await dropOffer(tx)
  await notifyOwners(tx, actor, config.emailLimits, company)
  await record(tx, actor, 'companies.delete', companySubject(company))
  return { id: company.id }
}

const LETTERS_MAX = 100

interface DeletedCompany extends CompanyContext {
  id: string
  until: string
}

/**
 * Nothing about emails keeps a company open. Each other Owner is told of each company; only one that is closed, restored
 * and closed again is no longer news to a mailbox that was told of it ten times within the hour. The actor knows what it
 * did, and its address may be somebody else's, so that it gets ten notices an hour over all companies. In the order of
 * addresses, so that two companies with the same Owners do not wait for each other in a circle.
 */
async function notifyOwners(tx: Tx, actor: CompanyActor, limits: EmailLimits, company: DeletedCompany): Promise<void> {
  const { id, name, timezone, until } = company
  const owners = await listOwners(tx, LETTERS_MAX)
  for (const owner of owners.sort((a, b) => (a.email < b.email ? -1 : 1))) {
    const bounds = owner.id === actor.accountId ? noticeLimits(limits) : noticeLimits(limits, id)
    const params = { company: name, by: actor.name, until, timezone }
    await enqueueWithinLimits(tx, bounds, 'company_deleted', withCompanyLocale(owner, company), params)
  }
}

/** For one of its Owners, while the company can still be restored; to everybody else it is not there. */
export async function restoreCompany(database: Database, actor: Actor, companyId: string): Promise<Company> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    await enterOwnCompany(tx, actor, companyId)
    const company = await lockClosed(tx)
    const own = await findMembership(tx, actor.accountId)
    if (!company || own?.status !== 'active' || !own.is_opened) throw problem('company_not_found')
    if (!company.isClosed) throw problem('company_not_deleted')
    if (!company.isRestorable || !authorityOf(own.roles).isOwner) throw problem('company_not_found')

    await tx.updateTable('companies').set({ deleted_at: null, updated_at: sql`now()` }).execute()
    await record(tx, actor, 'companies.restore', companySubject(company))
    return getCompany(tx, actor.accountId)
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
