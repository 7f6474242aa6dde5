import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, byLinkTo } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type Account, lockAccount, markRecovered, verifiedColumns } from '../accounts/accounts.ts'
import { getAccountOfUndo, useEmailChangeUndo } from '../accounts/email-change-undos.ts'
import { findUndoableSince } from '../accounts/factors/factor-change-undos.ts'
import { takeFactorReset } from '../accounts/factors/factor-resets.ts'
import { deleteFactorsSince } from '../accounts/factors/factors.ts'
import { getLinkId, revokeLinks, sendLink } from '../accounts/links.ts'
import { clearPasswordAttempts } from '../accounts/password-attempts.ts'
import { deletePasswords } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { addKnownNetwork, deleteKnownNetworks } from '../accounts/sessions.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { deactivateInJoinedCompanies, lockJoinedCompanies } from '../members/joined-companies.ts'
import { endUnverifiedMemberships } from '../members/unverified-memberships.ts'

/**
 * For the owner of the address that an account had before: gives the account back to that address. Everything that an
 * intruder may have is ended, the password included; the owner chooses a new one by a link that is emailed to the address. What
 * companies gave the reader of the other address is not the owner's: they look at it first.
 */
export async function undoEmailChange({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = getLinkId(keys, token)
  // Of one account no more wait at once than its share of the connections.
  const { accountId: holder } = await getAccountOfUndo(database.autocommit(asAnyone), linkId)
  // An account that was taken over may have joined two thousand companies.
  await database.write({ ...byLinkTo(holder, 'undo'), slow: true }, async (tx) => {
    const { accountId, isCurrentAddress, changedAt } = await getAccountOfUndo(tx, linkId)
    const joined = isCurrentAddress ? undefined : await lockJoinedCompanies(tx, accountId, changedAt)
    if (!isCurrentAddress) await endUnverifiedMemberships(tx, accountId, caller)
    const account = await lockAccount(tx, accountId)
    const { email } = await useEmailChangeUndo(tx, linkId)
    if (joined) await deactivateInJoinedCompanies(tx, account, joined, caller.requestId)

    await restoreEmail(tx, account.id, email)
    // An intruder adds a factor first, so that its email still goes to this address and its link is worth nothing afterwards.
    await deleteFactorsSince(tx, account.id, await findUndoableSince(tx, { accountId, email, changedAt }))
    await endAccess(tx, account, email, caller)
    await notify(tx, account, email)
    await record(
      tx,
      { ...caller, accountId, name: account.name, email },
      'accounts.undo_email_change',
      accountSubject({ id: accountId, email }),
      { email: { from: account.email, to: email } },
    )
  })
}

/** For the page of the link, before anything is restored. Uses up nothing and locks nothing. */
export async function checkUndoLink({ database, keys }: Deps, token: string): Promise<void> {
  await getAccountOfUndo(database.autocommit(asAnyone), getLinkId(keys, token))
}

/** Counts as a change of what opens the account also where the address is the same by now: stored responses are invalid. */
async function restoreEmail(tx: Tx, accountId: string, email: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({
      ...verifiedColumns,
      email,
      email_verified_at: sql`now()`,
      pending_email: null,
      must_change_password: false,
      credentials_version: sql<number>`credentials_version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', accountId)
    .execute()
}

/** An announced removal of the factors ends with it: it may be an intruder who has asked for that. */
export async function endAccess(tx: Tx, account: Account, email: string, caller: RequestInfo): Promise<void> {
  await deletePasswords(tx, account.id)
  await revokeSessions(tx, account.id, 'email_change_undone')
  await revokeLinks(tx, account.id)
  await takeFactorReset(tx, { accountId: account.id })
  await clearPasswordAttempts(tx, email)
  await deleteKnownNetworks(tx, account.id, { except: caller.network })
  await addKnownNetwork(tx, account.id, caller.network)
  await markRecovered(tx, account.id)
}

/**
 * Neither email is ever withheld: the account has no password until its owner has the first of them. The owner of a disabled
 * account gets the address back, and no link.
 */
async function notify(tx: Tx, account: Account, email: string): Promise<void> {
  const restored = { ...account, email }
  if (account.disabled_at) await enqueueEmail(tx, 'account_disabled', restored, {})
  else await sendLink(tx, { perRecipient: null }, account.id, 'reset_password', restored, 'email_restored')
  if (account.email !== email) await enqueueEmail(tx, 'email_removed', account, {})
}
