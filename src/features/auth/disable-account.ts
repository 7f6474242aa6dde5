import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import { cancelPendingEmail, lockAccount } from '../accounts/accounts.ts'
import { revokeLinks, sendLink } from '../accounts/links.ts'
import { findPasswords, lockPasswords } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { type AuditActor, type Changes, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { leaveCompaniesToOthers, notifyOwnersOfThem, type OwnedCompany } from './owned-companies.ts'

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

/**
 * For an operator: ends all sessions and links, and lets nothing open the account until it is enabled again. Its memberships
 * stay. The account comes first, so that its owner can't prevent it by keeping companies busy; the companies follow, also when it is
 * repeated. Throws, once the account is disabled, when one of them stays locked.
 */
export async function disableAccount(
  database: Database,
  operator: AuditActor,
  accountId: string,
  { reason, notifies }: OperatorNote,
): Promise<DisabledAccount> {
  const done = await database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account.disabled_at) return { isChanged: false, endedSessions: 0 }

    await setDisabled(tx, accountId, true)
    const endedSessions = await endAccess(tx, accountId)
    if (notifies) {
      await enqueueEmail(tx, 'account_disabled', account, {})
      await notifyOwnersOfThem(tx, account, 'disabled')
    }
    await record(tx, operator, 'accounts.disable', accountSubject(account), noteIn(reason))
    return { isChanged: true, endedSessions }
  })
  return { ...done, withoutOwner: await leaveCompaniesToOthers(database, accountId) }
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
  // An offer that came while the account was being disabled must not become valid again.
  await leaveCompaniesToOthers(database, accountId)
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account.disabled_at) return { isChanged: false, isLinkSent: false }

    await setDisabled(tx, accountId, false)
    const isLinkSent = (await findPasswords(tx, accountId)).length === 0
    if (isLinkSent) await sendLink(tx, { perRecipient: null }, accountId, 'reset_password', account, 'password_removed')
    else if (notifies) await enqueueEmail(tx, 'account_enabled', account, {})
    if (notifies) await notifyOwnersOfThem(tx, account, 'enabled')
    await record(tx, operator, 'accounts.enable', accountSubject(account), noteIn(reason))
    return { isChanged: true, isLinkSent }
  })
}

export const noteIn = (reason: string | undefined): Changes => (reason === undefined ? {} : { reason: { to: reason } })

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
