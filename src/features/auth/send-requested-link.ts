import { sql } from 'kysely'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { addressOf, shareOf } from '../../lib/networks.ts'
import type { Account } from '../accounts/accounts.ts'
import { sendLink } from '../accounts/links.ts'
import { hasRecentSignInFrom } from '../accounts/password-attempts.ts'

/** What a link is requested for without signing in. */
export type RequestedPurpose = 'reset_password' | 'confirm_email'

/** So many shares of networks at least it takes to use up what those have together that an account does not know. */
const SHARES_MIN = 4

/**
 * Sends the link unless the account was sent too many. The daily limit of unknown networks does not apply to networks that
 * the account knows. These have a limit of their own: a network is also known when a person there signed up with an address
 * that belongs to another person.
 */
export async function sendRequestedLink(
  tx: Tx,
  account: Account,
  network: string,
  purpose: RequestedPurpose,
  { perRecipient, linksFromKnownNetworks, linksFromUnknownNetworks }: EmailLimits,
): Promise<boolean> {
  const isKnown = await isNetworkKnown(tx, account.id, network)
  const share = isKnown ? null : shareOf(addressOf(network))
  const limit = isKnown ? linksFromKnownNetworks : linksFromUnknownNetworks
  const { sent, ofShare } = await countSent(tx, account.id, purpose, share)
  if (limit !== null && (sent >= limit || ofShare >= limit / SHARES_MIN)) return false

  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, purpose, account)
  if (retryAfterSeconds) return false
  await tx
    .insertInto('sent_links')
    .values({ account_id: account.id, purpose, network_is_known: isKnown, share })
    .execute()
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

/** Of the share alone when it is given. Within the hour for known networks, within the day for others. Exact, because the account is locked. */
async function countSent(
  tx: Tx,
  accountId: string,
  purpose: RequestedPurpose,
  share: string | null,
): Promise<{ sent: number; ofShare: number }> {
  const networkIsKnown = share === null
  return tx
    .selectFrom('sent_links')
    .select([
      sql<number>`count(*)::int`.as('sent'),
      sql<number>`(count(*) filter (where share = ${share}))::int`.as('ofShare'),
    ])
    .where('account_id', '=', accountId)
    .where('purpose', '=', purpose)
    .where('network_is_known', '=', networkIsKnown)
    .where('created_at', '>', sql<string>`now() - make_interval(hours => ${networkIsKnown ? 1 : 24})`)
    .executeTakeFirstOrThrow()
}
