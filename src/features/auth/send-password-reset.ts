import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { Account } from '../accounts/accounts.ts'
import { hasValidLink } from '../accounts/links.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmailWithinLimits } from '../mail/outbox/enqueue.ts'
import { sendRequestedLink } from './send-requested-link.ts'

/**
 * Handles a request in the worker: sends the link, unless a limit of the account is reached. Requests of other people must
 * not keep the account's owner from resetting the password, so the limit for each recipient applies only while the account
 * has a valid link, which its owner can use. The owner of a disabled account is told so instead, who could otherwise only
 * see that the password seems wrong.
 */
export async function sendPasswordReset(
  tx: Tx,
  account: Account,
  caller: RequestInfo,
  limits: EmailLimits,
): Promise<void> {
  const perRecipient = (await hasValidLink(tx, account.id, 'reset_password')) ? limits.perRecipient : null
  const isSent = account.disabled_at
    ? await sendDisabledNotice(tx, account, limits)
    : await sendRequestedLink(tx, account, caller.network, 'reset_password', { ...limits, perRecipient })
  await record(tx, caller, 'passwords.request_reset', accountSubject(account), {
    email: { to: isSent ? 'sent' : 'withheld' },
  })
}

async function sendDisabledNotice(tx: Tx, account: Account, limits: EmailLimits): Promise<boolean> {
  const { perRecipient } = limits
  const { retryAfterSeconds } = await enqueueEmailWithinLimits(tx, { perRecipient }, 'account_disabled', account, {})
  return retryAfterSeconds === undefined
}
