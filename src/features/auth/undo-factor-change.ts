import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, byLinkTo } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type Account, lockAccount, verifiedColumns } from '../accounts/accounts.ts'
import { getAccountOfFactorUndo, useFactorUndo } from '../accounts/factors/factor-change-undos.ts'
import { deleteFactorsSince } from '../accounts/factors/factors.ts'
import { deleteRecoveryCodes } from '../accounts/factors/recovery-codes.ts'
import { getLinkId, sendLink } from '../accounts/links.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { endAccess } from './undo-email-change.ts'

/**
 * “This was not me”: removes the factors that were added by the change and since, and all recovery codes, and ends everything that an
 * intruder may have, the password included; the owner chooses a new one by a link that is emailed. Factors of before stay, so
 * a reader of the mailbox gets around none that is older than the link.
 */
export async function undoFactorChange({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = getLinkId(keys, token)
  const holder = await getAccountOfFactorUndo(database.autocommit(asAnyone), linkId)
  await database.write(byLinkTo(holder, 'undo'), async (tx) => {
    const account = await lockAccount(tx, await getAccountOfFactorUndo(tx, linkId))
    const madeAt = await useFactorUndo(tx, linkId, account)

    await deleteFactorsSince(tx, account.id, madeAt)
    await deleteRecoveryCodes(tx, account.id)
    await countChange(tx, account.id)
    await endAccess(tx, account, account.email, caller)
    await sendWayBack(tx, account)
    const owner = { ...caller, accountId: account.id, name: account.name, email: account.email }
    await record(tx, owner, 'factors.undo', accountSubject(account))
  })
}

/** For the page of the link, before anything is undone. Uses up nothing and locks nothing. */
export async function checkFactorUndo({ database, keys }: Deps, token: string): Promise<void> {
  await getAccountOfFactorUndo(database.autocommit(asAnyone), getLinkId(keys, token))
}

/** Also where no factor goes: stored responses are invalid. The token was read in the mailbox, so the address is verified. */
async function countChange(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({
      ...verifiedColumns,
      must_change_password: false,
      credentials_version: sql<number>`credentials_version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', accountId)
    .execute()
}

/** Never withheld: the account has no password until its owner has this email. */
async function sendWayBack(tx: Tx, account: Account): Promise<void> {
  if (account.disabled_at) await enqueueEmail(tx, 'account_disabled', account, {})
  else await sendLink(tx, { perRecipient: null }, account.id, 'reset_password', account, 'factor_change_undone')
}
