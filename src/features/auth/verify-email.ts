import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import type { LinkPurpose } from '../../database/schema.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { type Account, lockAccount, markEmailProven, proven } from '../accounts/accounts.ts'
import { getValidLink, linkIdOf, revokeLinks, type UsedLink, useLink } from '../accounts/links.ts'
import { dropTemporaryPasswords } from '../accounts/passwords.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { post } from '../mail/outbox/enqueue.ts'
import { endUnverifiedMemberships } from '../members/unverified-memberships.ts'

/** Somebody followed the link in a letter: its address is proven, or replaces the old one. */
export async function verifyEmail({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = linkIdOf(keys, token)
  await database.write(asAnyone, async (tx) => {
    const { accountId, purpose } = await getValidLink(tx, linkId, verificationPurposes)
    if (purpose === 'change_email') await endUnverifiedMemberships(tx, accountId, caller)
    const account = await lockAccount(tx, accountId)
    const link = await useLink(tx, linkId, verificationPurposes)
    if (link.purpose === 'confirm_email') await proveEmail(tx, account, link, caller)
    else await replaceEmail(tx, account, link, caller)
  })
}

/** The links that open the page for verification. */
export const verificationPurposes: LinkPurpose[] = ['confirm_email', 'change_email']

async function proveEmail(tx: Tx, account: Account, { email }: UsedLink, caller: RequestInfo): Promise<void> {
  if (account.email !== email) throw problem('link_invalid')

  await markEmailProven(tx, account.id)
  await record(tx, doer(caller, account), 'accounts.verify_email', accountSubject({ id: account.id, email }))
}

/** The first to prove an address has it: the unique constraint refuses the second with 409. */
async function replaceEmail(
  tx: Tx,
  account: Account,
  { email: newEmail }: UsedLink,
  caller: RequestInfo,
): Promise<void> {
  if (account.pending_email !== newEmail) throw problem('link_invalid')

  await tx
    .updateTable('accounts')
    .set({ ...proven, email: newEmail, email_verified_at: sql`now()`, pending_email: null, updated_at: sql`now()` })
    .where('id', '=', account.id)
    .execute()
  await revokeLinks(tx, account.id)
  await dropTemporaryPasswords(tx, account.id)
  await post(tx, 'email_changed', account, { newEmail })
  await record(
    tx,
    doer(caller, account),
    'accounts.change_email',
    accountSubject({ id: account.id, email: newEmail }),
    { email: { from: account.email, to: newEmail } },
  )
}

const doer = (caller: RequestInfo, { id, name, email }: Account): AuditActor => ({
  ...caller,
  accountId: id,
  name,
  email,
})
