import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { Account } from '../accounts/accounts.ts'
import { hasValidLink, sendLink } from '../accounts/links.ts'
import { hasRecentSignInFrom } from '../accounts/password-attempts.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'

/** Handles a request in the worker: sends the link, unless a limit of the account is reached. */
export async function sendPasswordReset(
  tx: Tx,
  account: Account,
  caller: RequestInfo,
  limits: EmailLimits,
): Promise<void> {
  const isSent = await sendWithinLimits(tx, account, caller.network, limits)
  await record(tx, caller, 'passwords.request_reset', accountSubject(account), {
    email: { to: isSent ? 'sent' : 'withheld' },
  })
}

/**
 * Requests of other people must not keep the account's owner from resetting the password. So the limit for each recipient
 * applies only while the account has a valid link, which its owner can use, and the daily limit of unknown networks does
 * not apply to networks that the account knows. These have a limit of their own: a network is also known when a person
 * there signed up with an address that belongs to another person.
 */
async function sendWithinLimits(tx: Tx, account: Account, network: string, limits: EmailLimits): Promise<boolean> {
  const isKnown = await isNetworkKnown(tx, account.id, network)
  const { recoveriesFromKnownNetworks, recoveriesFromUnknownNetworks } = limits
  const limit = isKnown ? recoveriesFromKnownNetworks : recoveriesFromUnknownNetworks
  if (limit !== null && (await countSent(tx, account.id, isKnown)) >= limit) return false

  const perRecipient = (await hasValidLink(tx, account.id, 'reset_password')) ? limits.perRecipient : null
  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, 'reset_password', account)
  if (retryAfterSeconds) return false
  await tx.insertInto('sent_password_resets').values({ account_id: account.id, network_is_known: isKnown }).execute()
  return true
}

async function isNetworkKnown(tx: Tx, accountId: string, network: string): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select(hasRecentSignInFrom(network).as('isKnown'))
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.isKnown ?? false
}

/** Within the hour for known networks, within the day for others. Exact, because the account is locked. */
async function countSent(tx: Tx, accountId: string, networkIsKnown: boolean): Promise<number> {
  const { sent } = await tx
    .selectFrom('sent_password_resets')
    .select((count) => count.fn.countAll<number>().as('sent'))
    .where('account_id', '=', accountId)
    .where('network_is_known', '=', networkIsKnown)
    .where('created_at', '>', sql<string>`now() - make_interval(hours => ${networkIsKnown ? 1 : 24})`)
    .executeTakeFirstOrThrow()
  return Number(sent)
}
