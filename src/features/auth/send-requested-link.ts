import { sql } from 'kysely'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { addressOf, shareOf } from '../../lib/networks.ts'
import type { Account } from '../accounts/accounts.ts'
import { sendLink } from '../accounts/links.ts'
import { hasRecentSignInFrom } from '../accounts/password-attempts.ts'

/** What a link is requested for without signing in. */
export type RequestedPurpose = 'reset_password' | 'confirm_email'

/** Of the links for networks that the account does not know, those of one share (shareOf) get this part. */
const PART_OF_SHARE = 1 / 4
/** When all are used up, a share that had none that day still gets one, until so many times the limit were sent. */
const FIRST_LINKS_FACTOR = 5

/**
 * Sends the link unless the account was sent too many. The daily limit of unknown networks does not apply to networks that
 * the account knows, and no stranger can use it up for all others. These have a limit of their own: a network is also known when a person there signed up with an address
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
  const counts = await countSent(tx, account.id, purpose, share)
  const isWithin = isKnown
    ? counts.sent < (linksFromKnownNetworks ?? Infinity)
    : isLeft(counts, linksFromUnknownNetworks)
  if (!isWithin) return false

  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, purpose, account)
  if (retryAfterSeconds) return false
  await tx
    .insertInto('sent_links')
    .values({ account_id: account.id, purpose, network_is_known: isKnown, share })
    .execute()
  return true
}

interface SentCounts {
  sent: number
  ofShare: number
}

/** For a network that the account does not know. */
function isLeft({ sent, ofShare }: SentCounts, limit: number | null): boolean {
  if (limit === null) return true
  return ofShare === 0 ? sent < limit * FIRST_LINKS_FACTOR : sent < limit && ofShare < limit * PART_OF_SHARE
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
): Promise<SentCounts> {
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
