import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import { findMembership } from '../../access/memberships.ts'
import { listOwners } from '../../access/owners.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany } from '../../database/scopes.ts'
import { lockAccount } from '../accounts/accounts.ts'
import { record, unseen } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { type CompanyContext, companyParams, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { adjustMemberCounters } from './members.ts'

/**
 * Ends every membership of an account that awaits verification, because the account’s address is about to change and
 * the company added the owner of the old one. Called before the account is locked: all companies are locked first, then the account,
 * then its memberships, as everywhere else. A trigger restarts the transaction when a company links the account in between.
 */
export async function endUnverifiedMemberships(tx: Tx, accountId: string, caller: RequestInfo): Promise<void> {
  await enterAccount(tx, accountId)
  const { rows } = await sql<{ id: string }>`select id from unverified_companies() as id`.execute(tx)
  const companies: LockedCompany[] = []
  for (const { id } of rows) {
    await enterCompany(tx, id, accountId)
    const company = await lockAnyCompany(tx)
    // Undefined: it was purged since the lookup.
    if (company) companies.push(company)
  }
  await enterAccount(tx, accountId)
  if (companies.length === 0) return
  await lockAccount(tx, accountId)
  for (const company of companies) {
    await enterCompany(tx, company.id, accountId)
    await endUnverifiedMembership(tx, accountId, company, caller)
  }
  await enterAccount(tx, accountId)
}

/** The transaction acts for the account afterwards. */
export async function hasUnverifiedMembership(tx: Tx, accountId: string): Promise<boolean> {
  await enterAccount(tx, accountId)
  const { rows } = await sql`select from unverified_companies() limit 1`.execute(tx)
  return rows.length > 0
}

async function endUnverifiedMembership(
  tx: Tx,
  accountId: string,
  company: LockedCompany,
  caller: RequestInfo,
): Promise<void> {
  const member = await findMembership(tx, accountId)
  // Since the lookup the membership ended in another way.
  if (!member?.awaits_verification) return
  const recipients = await findAdders(tx, accountId)

  await tx.deleteFrom('memberships').where('account_id', '=', accountId).execute()
  if (!company.isDeleted) await notify(tx, company, member.email, recipients)
  const auditActor = unseen({ ...caller, accountId, name: member.name, email: member.email })
  await record(tx, auditActor, 'users.end_unverified', memberSubject(member), {
    roles: { from: member.roles.map(({ name }) => name) },
  })
  await adjustMemberCounters(tx, member.status === 'active' ? { active: -1 } : { inactive: -1 })
}

interface LockedCompany extends CompanyContext {
  isDeleted: boolean
}

/** A deleted company counts, too: it may be restored. */
async function lockAnyCompany(tx: Tx): Promise<LockedCompany | undefined> {
  return tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', sql<boolean>`deleted_at is not null`.as('isDeleted')])
    .forNoKeyUpdate()
    .executeTakeFirst()
}

const OWNERS_NOTIFIED_MAX = 5

/** The member who added the account, or some owners when that member has left or is disabled. */
async function findAdders(tx: Tx, accountId: string): Promise<Recipient[]> {
  const adder = await tx
    .selectFrom('memberships')
    .innerJoin('memberships as adding', 'adding.account_id', 'memberships.added_by')
    .innerJoin('accounts', 'accounts.id', 'adding.account_id')
    .select(['accounts.email', 'accounts.name', 'accounts.locale'])
    .where('memberships.account_id', '=', accountId)
    .where('adding.status', '=', 'active')
    .where('adding.opened_at', 'is not', null)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  return adder ? [adder] : listOwners(tx, OWNERS_NOTIFIED_MAX)
}

/** Sorted by address, as every set of emails is enqueued. */
async function notify(tx: Tx, company: CompanyContext, email: string, recipients: Recipient[]): Promise<void> {
  for (const recipient of recipients.sort((a, b) => (a.email < b.email ? -1 : 1)))
    await enqueueEmail(tx, 'unverified_membership_ended', withCompanyLocale(recipient, company), {
      ...companyParams(company),
      email,
    })
}
