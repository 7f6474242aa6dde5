import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { LinkPurpose } from '../../database/schema.ts'
import { asAnyone, byLinkTo } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { type Account, lockAccount, markEmailVerified, verifiedColumns } from '../accounts/accounts.ts'
import { createEmailChangeUndo, endUndosAfter } from '../accounts/email-change-undos.ts'
import { consumeLink, getLinkId, getValidLink, type OneTimeLink, revokeLinks } from '../accounts/links.ts'
import { deleteTemporaryPasswords } from '../accounts/passwords.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { endUnverifiedMemberships } from '../members/unverified-memberships.ts'

/** Uses an emailed link: it verifies the address of the account, or replaces it by the new one that got the link. */
export async function verifyEmail({ config, database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = getLinkId(keys, token)
  const { accountId: holder } = await getValidLink(database.autocommit(asAnyone), linkId, verificationPurposes)
  await database.write(byLinkTo(holder, 'verify'), async (tx) => {
    const { accountId, purpose } = await getValidLink(tx, linkId, verificationPurposes)
    if (purpose === 'change_email') await endUnverifiedMemberships(tx, accountId, caller)
    const account = await lockAccount(tx, accountId)
    const link = await consumeLink(tx, linkId, verificationPurposes)
    if (link.purpose === 'confirm_email') await verifyAddress(tx, account, link, caller)
    else await replaceEmail(tx, account, link, config, caller)
  })
}

/** The purposes of links that the verification page accepts. */
export const verificationPurposes: LinkPurpose[] = ['confirm_email', 'change_email']

async function verifyAddress(tx: Tx, account: Account, { email }: OneTimeLink, caller: RequestInfo): Promise<void> {
  if (account.email !== email) throw problem('link_invalid')

  await markEmailVerified(tx, account.id)
  await record(tx, auditActor(caller, account), 'accounts.verify_email', accountSubject({ id: account.id, email }))
}

/** The first account that verifies an address gets it: the unique constraint refuses the second one with 409. */
async function replaceEmail(
  tx: Tx,
  account: Account,
  { email: newEmail }: OneTimeLink,
  config: Config,
  caller: RequestInfo,
): Promise<void> {
  if (account.pending_email !== newEmail) throw problem('link_invalid')

  const { version } = await tx
    .updateTable('accounts')
    .set({
      ...verifiedColumns,
      email: newEmail,
      email_verified_at: sql`now()`,
      pending_email: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', account.id)
    .returning('credentials_version as version')
    .executeTakeFirstOrThrow()
  await revokeLinks(tx, account.id)
  await deleteTemporaryPasswords(tx, account.id)
  await notifyFormerAddress(tx, account, { newEmail, version }, config)
  await record(
    tx,
    auditActor(caller, account),
    'accounts.change_email',
    accountSubject({ id: account.id, email: newEmail }),
    { email: { from: account.email, to: newEmail } },
  )
}

/** With a link to undo the change, where its reader may have the account back: not who had it only between two changes. */
async function notifyFormerAddress(
  tx: Tx,
  account: Account,
  { newEmail, version }: { newEmail: string; version: number },
  { requireVerifiedEmail }: Config,
): Promise<void> {
  const isRestored = await endUndosAfter(tx, account.id, newEmail)
  if (isRestored || isChosenByCompany(account)) return enqueueEmail(tx, 'email_replaced', account, { newEmail })

  // Where addresses have to be verified, one that never was may belong to another person, who must be able to use it.
  const isVerified = account.email_verified_at !== null
  const isReserved = !requireVerifiedEmail || isVerified
  const change = { accountId: account.id, email: account.email, version, isReserved, isVerified }
  const secretId = await createEmailChangeUndo(tx, change)
  await enqueueEmail(tx, 'email_changed', account, { newEmail }, { secretId })
}

/**
 * A company that creates an account chooses its address, and an administrator may read that mailbox: a link to undo the change
 * would give the account back to the administrator, together with the companies that it has opened since.
 */
const isChosenByCompany = ({ managed_by, email_verified_at, password_shown_at }: Account) =>
  password_shown_at !== null || (managed_by !== null && email_verified_at === null)

const auditActor = (caller: RequestInfo, { id, name, email }: Account): AuditActor => ({
  ...caller,
  accountId: id,
  name,
  email,
})
