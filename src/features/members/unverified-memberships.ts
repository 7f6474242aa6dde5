import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import { findMembership } from '../../access/memberships.ts'
import { listOwners } from '../../access/owners.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany } from '../../database/scopes.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { type CompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { post, type Recipient } from '../mail/outbox/enqueue.ts'
import { adjustMemberCounters } from './members.ts'

/**
 * Ends every membership of an account that awaits proof of its address, because the address is about to change: the
 * company added the holder of that address and of no other. Called before the account is locked, so that companies are
 * locked first as everywhere else; one that is added after this makes the transaction begin anew (migrations/0012).
 */
export async function endUnprovenMemberships(tx: Tx, accountId: string, caller: RequestInfo): Promise<void> {
  await enterAccount(tx, accountId)
  const { rows } = await sql<{ id: string }>`select id from unproven_companies() as id`.execute(tx)
  for (const { id } of rows) {
    await enterCompany(tx, id, accountId)
    await endUnproven(tx, accountId, caller)
  }
  await enterAccount(tx, accountId)
}

async function endUnproven(tx: Tx, accountId: string, caller: RequestInfo): Promise<void> {
  const company = await lockAnyCompany(tx)
  const member = await findMembership(tx, accountId)
  // Since it was looked for the company has been purged, or the membership has ended in another way.
  if (!company || !member?.awaits_proof) return
  const recipients = await whoAdded(tx, accountId)

  await tx.deleteFrom('memberships').where('account_id', '=', accountId).execute()
  if (!company.isDeleted) await notify(tx, company, member.email, recipients)
  // A company learns nothing else of an account that never came in: not from where it acts, either.
  const doer = { ...caller, ip: null, userAgent: '', accountId, name: member.name, email: member.email }
  await record(tx, doer, 'users.end_unverified', memberSubject(member), {
    roles: { from: member.roles.map(({ name }) => name) },
  })
  await adjustMemberCounters(tx, member.status === 'active' ? { active: -1 } : { inactive: -1 })
}

/** Also one that was deleted: it may be restored. */
async function lockAnyCompany(tx: Tx): Promise<(CompanyContext & { isDeleted: boolean }) | undefined> {
  return tx
    .selectFrom('companies')
    .select(['name', 'locale', 'timezone', sql<boolean>`deleted_at is not null`.as('isDeleted')])
    .forNoKeyUpdate()
    .executeTakeFirst()
}

const OWNERS_NOTIFIED_MAX = 5

/** The member who added the account, or some Owners when that member has left. */
async function whoAdded(tx: Tx, accountId: string): Promise<Recipient[]> {
  const adder = await tx
    .selectFrom('memberships')
    .innerJoin('memberships as adding', 'adding.account_id', 'memberships.added_by')
    .innerJoin('accounts', 'accounts.id', 'adding.account_id')
    .select(['accounts.email', 'accounts.name', 'accounts.locale'])
    .where('memberships.account_id', '=', accountId)
    .where('adding.status', '=', 'active')
    .where('adding.opened_at', 'is not', null)
    .executeTakeFirst()
  return adder ? [adder] : listOwners(tx, OWNERS_NOTIFIED_MAX)
}

/** In the order of addresses, as every set of emails is enqueued. */
async function notify(tx: Tx, company: CompanyContext, email: string, recipients: Recipient[]): Promise<void> {
  for (const recipient of recipients.sort((a, b) => (a.email < b.email ? -1 : 1)))
    await post(tx, 'unproven_membership_ended', withCompanyLocale(recipient, company), { company: company.name, email })
}
