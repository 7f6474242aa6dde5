import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { enterAnyone } from '../../database/scopes.ts'
import type { Account } from '../accounts/accounts.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { hasUnverifiedMembership } from '../members/unverified-memberships.ts'
import { sendPasswordReset } from './send-password-reset.ts'
import { sendRequestedLink } from './send-requested-link.ts'

/**
 * Handles a request in the worker: sends the confirmation of a sign-up again while the address is unverified. The earlier
 * link stops working unless the email is withheld. An account whose password an administrator has seen gets none: its link
 * would verify the address while that password still works, which only a new password may do. While a company waits for the
 * address, a link to reset the password takes its place: another person may have signed up with the address and be signed in,
 * and would enter the company as soon as the owner of the address confirms it. A disabled account gets what it gets there.
 */
export async function sendConfirmation(
  tx: Tx,
  account: Account,
  caller: RequestInfo,
  limits: EmailLimits,
): Promise<void> {
  if (account.email_verified_at !== null || account.password_shown_at !== null) return
  const isAwaited = await hasUnverifiedMembership(tx, account.id)
  await enterAnyone(tx)
  if (isAwaited || account.disabled_at) return sendPasswordReset(tx, account, caller, limits)

  const isSent = await sendRequestedLink(tx, account, caller.network, 'confirm_email', limits)
  await record(tx, caller, 'accounts.resend_confirmation', accountSubject(account), {
    email: { to: isSent ? 'sent' : 'withheld' },
  })
}
