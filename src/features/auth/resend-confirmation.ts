import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { Account } from '../accounts/accounts.ts'
import { sendLink } from '../accounts/links.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'

/**
 * Handles a request in the worker: sends a new confirmation link while the address is unverified. The earlier link stops
 * working unless the email is withheld. An account whose password was shown to an administrator gets no link, because it
 * would verify the address while that password still works; such an account has to reset its password instead.
 */
export async function sendConfirmation(
  tx: Tx,
  account: Account,
  caller: RequestInfo,
  { perRecipient }: EmailLimits,
): Promise<void> {
  if (account.email_verified_at !== null || account.password_shown_at !== null) return

  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, 'confirm_email', account)
  await record(tx, caller, 'accounts.resend_confirmation', accountSubject(account), {
    email: { to: retryAfterSeconds ? 'withheld' : 'sent' },
  })
}
