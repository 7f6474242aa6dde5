import { sql } from 'kysely'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { Account } from '../accounts/accounts.ts'
import { sendLink } from '../accounts/links.ts'
import { hasRecentSignInFrom } from '../accounts/password-attempts.ts'

/** What a link is requested for without signing in. */
export type RequestedPurpose = 'reset_password' | 'confirm_email'

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
  const limit = isKnown ? linksFromKnownNetworks : linksFromUnknownNetworks
  if (limit !== null && (await countSent(tx, account.id, purpose, isKnown)) >= limit) return false

  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, purpose, account)
  if (retryAfterSeconds) return false
  await tx.insertInto('sent_links').values({ account_id: account.id, purpose, network_is_known: isKnown }).execute()
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
async function countSent(
  tx: Tx,
  accountId: string,
  purpose: RequestedPurpose,
  networkIsKnown: boolean,
): Promise<number> {
  const { sent } = await tx
    .selectFrom('sent_links')
    .select((count) => count.fn.countAll<number>().as('sent'))
    .where('account_id', '=', accountId)
    .where('purpose', '=', purpose)
    .where('network_is_known', '=', networkIsKnown)
    .where('created_at', '>', sql<string>`now() - make_interval(hours => ${networkIsKnown ? 1 : 24})`)
    .executeTakeFirstOrThrow()
  return Number(sent)
}
