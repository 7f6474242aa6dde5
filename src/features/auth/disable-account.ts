import { sql } from 'kysely'
import { canAnotherOwnerManage } from '../../access/owners.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, enterAccount, enterCompany } from '../../database/scopes.ts'
import { cancelPendingEmail, lockAccount } from '../accounts/accounts.ts'
import { revokeLinks, sendLink } from '../accounts/links.ts'
import { findPasswords, lockPasswords } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { type AuditActor, type Changes, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'

/** What an operator says about an action on an account or a company. */
export interface OperatorNote {
  /** For the audit log. */
  reason?: string | undefined
  /** Whether the people concerned are told by email. */
  notifies: boolean
}

export interface DisabledAccount {
  /** False: it was disabled before, and nothing was done. */
  isChanged: boolean
  endedSessions: number
  /** Companies that no other owner can manage as long as this one is disabled: there is none, or their policy lets none in. */
  withoutOwner: OwnedCompany[]
}

interface OwnedCompany {
  id: string
  name: string
  slug: string
}

/**
 * For an operator: ends all sessions and links, and lets nothing open the account until it is enabled again. Its memberships
 * stay. Companies come before the account, as everywhere, so that no other owner leaves one meanwhile.
 */
export async function disableAccount(
  database: Database,
  operator: AuditActor,
  accountId: string,
  { reason, notifies }: OperatorNote,
): Promise<DisabledAccount> {
  return database.write(asAccount(accountId), async (tx) => {
    const owned = await lockOwnedCompanies(tx, accountId)
    const account = await lockAccount(tx, accountId)
    const withoutOwner = owned
      .filter(({ isManagedByAnother }) => !isManagedByAnother)
      .map(({ id, name, slug }) => ({ id, name, slug }))
    if (account.disabled_at) return { isChanged: false, endedSessions: 0, withoutOwner }

    await setDisabled(tx, accountId, true)
    const endedSessions = await endAccess(tx, accountId)
    if (notifies) await enqueueEmail(tx, 'account_disabled', account, {})
    await record(tx, operator, 'accounts.disable', accountSubject(account), noteIn(reason))
    await deleteOffersOf(tx, accountId, owned)
    return { isChanged: true, endedSessions, withoutOwner }
  })
}

export interface EnabledAccount {
  /** False: it was not disabled, and nothing was done. */
  isChanged: boolean
  /** It has no password that works, so a link to choose one was emailed. */
  isLinkSent: boolean
}

/**
 * For an operator: the account can sign in again, with the password that it had. Where that was removed meanwhile, its owner
 * gets a link to choose another one, also when no notice is wanted: nothing else would open the account.
 */
export async function enableAccount(
  database: Database,
  operator: AuditActor,
  accountId: string,
  { reason, notifies }: OperatorNote,
): Promise<EnabledAccount> {
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account.disabled_at) return { isChanged: false, isLinkSent: false }

    await setDisabled(tx, accountId, false)
    const isLinkSent = (await findPasswords(tx, accountId)).length === 0
    if (isLinkSent) await sendLink(tx, { perRecipient: null }, accountId, 'reset_password', account, 'password_removed')
    else if (notifies) await enqueueEmail(tx, 'account_enabled', account, {})
    await record(tx, operator, 'accounts.enable', accountSubject(account), noteIn(reason))
    return { isChanged: true, isLinkSent }
  })
}

export const noteIn = (reason: string | undefined): Changes => (reason === undefined ? {} : { reason: { to: reason } })

/** Locks the companies that the account owns, one after the other by their ids. The transaction acts for the account. */
async function lockOwnedCompanies(
  tx: Tx,
  accountId: string,
): Promise<(OwnedCompany & { isManagedByAnother: boolean })[]> {
  const { rows } = await sql<OwnedCompany>`
    select companies.id, companies.name, companies.slug from memberships
    join companies on companies.id = memberships.company_id
    where memberships.account_id = ${accountId} and memberships.opened_at is not null
      and companies.purge_started_at is null and exists (
        select from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.company_id = companies.id and membership_roles.account_id = ${accountId}
          and roles.system_key = 'owner')
    order by companies.id`.execute(tx)
  const owned = []
  for (const company of rows) {
    await enterCompany(tx, company.id, accountId)
    const isThere = await tx.selectFrom('companies').select('id').forNoKeyUpdate().executeTakeFirst()
    if (isThere) owned.push({ ...company, isManagedByAnother: await canAnotherOwnerManage(tx, accountId) })
  }
  await enterAccount(tx, accountId)
  return owned
}

async function setDisabled(tx: Tx, accountId: string, isDisabled: boolean): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ disabled_at: isDisabled ? sql`now()` : null, updated_at: sql`now()` })
    .where('id', '=', accountId)
    .execute()
}

async function endAccess(tx: Tx, accountId: string): Promise<number> {
  await lockPasswords(tx, accountId)
  const ended = await revokeSessions(tx, accountId, 'account_disabled')
  await revokeLinks(tx, accountId)
  await cancelPendingEmail(tx, accountId)
  return ended
}

/** An offer of a disabled owner can't be accepted, and must not become valid again later. */
async function deleteOffersOf(tx: Tx, accountId: string, owned: OwnedCompany[]): Promise<void> {
  for (const { id } of owned) {
    await enterCompany(tx, id, accountId)
    await deleteInvalidTransfer(tx)
  }
}
