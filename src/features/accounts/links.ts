import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import type { LinkPurpose } from '../../database/schema.ts'
import { newId } from '../../lib/ids.ts'
import type { Keys } from '../../lib/keys.ts'
import { linkIdFrom } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import type { BoundedKind, EmailParams, NoticeWithLink, Recipient } from '../mail/outbox/emails.ts'
import { type EnqueueResult, enqueueEmailWithinLimits, type SendingLimits } from '../mail/outbox/enqueue.ts'

/** How long the link of each purpose is valid. The contract sets the time for resetting a password. */
const minutesOf: Record<LinkPurpose, number> = { reset_password: 15, confirm_email: 24 * 60, change_email: 24 * 60 }

/** Kinds whose params are empty: all that they carry is the link. Most have the name of its purpose. */
type LinkEmail = (LinkPurpose & BoundedKind) | NoticeWithLink

/**
 * Sends a link that replaces the one before of the same purpose. When the email is withheld, the older link stays valid,
 * because it is the last one that the recipient has.
 */
export async function sendLink(
  tx: Tx,
  bounds: SendingLimits,
  accountId: string,
  purpose: LinkPurpose & BoundedKind,
  to: Recipient,
  kind: LinkEmail = purpose,
): Promise<EnqueueResult> {
  const id = newId()
  const minutes = minutesOf[purpose]
  const nothing: EmailParams[LinkEmail] = {}
  const options = { secretId: id, ...(kind === purpose && { expiresAt: new Date(Date.now() + minutes * 60_000) }) }
  const result = await enqueueEmailWithinLimits(tx, bounds, kind, to, nothing, options)
  if (result.retryAfterSeconds) return result
  const link = { id, email: to.email, expires_at: sql<string>`now() + make_interval(mins => ${minutes})` }
  await tx
    .insertInto('one_time_links')
    .values({ account_id: accountId, purpose, ...link })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'purpose']).doUpdateSet({ ...link, created_at: sql`now()` }),
    )
    .execute()
  return result
}

/** For a signed-in caller: throws 429 when the email is withheld. */
export async function sendLinkOrRefuse(...sending: Parameters<typeof sendLink>): Promise<void> {
  const { retryAfterSeconds } = await sendLink(...sending)
  if (retryAfterSeconds) throw problem('email_limit_reached', { retryAfterSeconds })
}

export interface OneTimeLink {
  accountId: string
  purpose: LinkPurpose
  /** The recipient of the link. */
  email: string
}

/** Throws unless the token was made with our key. It is cheap, so that guessed tokens cost no query. */
export function getLinkId(keys: Keys, token: string): string {
  const id = linkIdFrom(keys, token)
  if (!id) throw problem('link_invalid')
  return id
}

/** Throws unless the link can be used now. Leaves it unused, and does not lock it. */
export async function getValidLink(tx: Tx, id: string, purposes: LinkPurpose[]): Promise<OneTimeLink> {
  const link = await tx
    .selectFrom('one_time_links')
    .select(['account_id as accountId', 'purpose', 'email'])
    .where('id', '=', id)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  if (!link) throw problem('link_invalid')
  return link
}

/** Whether a link of this purpose can be used now. */
export async function hasValidLink(tx: Tx, accountId: string, purpose: LinkPurpose): Promise<boolean> {
  const link = await tx
    .selectFrom('one_time_links')
    .select('id')
    .where('account_id', '=', accountId)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return link !== undefined
}

/** Deletes the link in one conditional statement, so that of any number of concurrent requests exactly one succeeds. */
export async function consumeLink(tx: Tx, id: string, purposes: LinkPurpose[]): Promise<OneTimeLink> {
  const link = await tx
    .deleteFrom('one_time_links')
    .where('id', '=', id)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', sql<string>`now()`)
    .returning(['account_id as accountId', 'purpose', 'email'])
    .executeTakeFirst()
  if (!link) throw problem('link_invalid')
  return link
}

/** Links that lead to no new password. */
export const OF_ADDRESSES = ['confirm_email', 'change_email'] as const

/** After a change of password or address no link that was sent before works, or none for these purposes. Undos of an address are not among these. */
export async function revokeLinks(tx: Tx, accountId: string, purposes?: readonly LinkPurpose[]): Promise<void> {
  await tx
    .deleteFrom('one_time_links')
    .where('account_id', '=', accountId)
    .$if(purposes !== undefined, (query) => query.where('purpose', 'in', purposes as LinkPurpose[]))
    .execute()
}
