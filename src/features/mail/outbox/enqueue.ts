import { sql } from 'kysely'
import type { EmailLimits } from '../../../config/config.ts'
import type { Tx } from '../../../database/open.ts'
import { newId } from '../../../lib/ids.ts'
import { problem } from '../../../problems.ts'
import type { BoundedKind, EmailKind, EmailParams, Recipient } from './emails.ts'

export interface EmailOptions {
  /** The row that the email's secret is derived from, such as a link's id. */
  secretId?: string
  /** An email that could not be delivered by then is marked failed; at most 24 hours. */
  expiresAt?: Date
}

const DELIVERY_HOURS = 24
const endOfDelivery = () => new Date(Date.now() + DELIVERY_HOURS * 3_600_000)

/** What an email is counted against. A limit of `null` bounds nothing. */
export interface SendingLimits {
  /** Emails of this kind to this recipient within the hour, those of other companies aside where a company sends them. */
  perRecipient: number | null
  /** Emails of this kind to this recipient within the hour, of all companies together. */
  perMailbox?: number | null
  /** Emails of all kinds, for this company and because of this account, each within the hour. */
  perSender?: number | null
  /** Without an account the email does not count for its company as a sender. */
  sender?: { companyId?: string; accountId?: string }
}

/** For what a signed-in account causes, in a company or by itself. */
export const limitsFor = (
  { perRecipient, perMailbox, perSender }: EmailLimits,
  { accountId, companyId }: { accountId: string; companyId?: string },
): SendingLimits => ({ perRecipient, perMailbox, perSender, sender: { accountId, ...(companyId && { companyId }) } })

/**
 * For a notice about what an account does by itself, to its own address. With `companyId`: to another address, which is
 * notified of each company and bounded only in how often it is notified of the same one.
 */
export const noticeLimits = (
  { noticesPerRecipient }: Pick<EmailLimits, 'noticesPerRecipient'>,
  companyId?: string,
): SendingLimits => ({
  perRecipient: noticesPerRecipient,
  ...(companyId && { sender: { companyId } }),
})

/** In so many companies a member hears of each change, whatever happens in others: see functions/joined_first.sql. */
const FIRST_COMPANIES = 5

/**
 * Of notices of one kind from all companies. An address that its account has never verified may be that of another person, to
 * whom a stranger's companies would each write. In the first companies of the account an intruder does not hide a change behind those in
 * others: these stop before the first ones do.
 */
export function mailboxLimit(
  { perMailbox, noticesPerRecipient }: EmailLimits,
  reader: { is_verified: boolean; is_joined_first: boolean },
): number | null {
  if (reader.is_verified || perMailbox === null) return null
  return perMailbox + (reader.is_joined_first ? FIRST_COMPANIES * (noticesPerRecipient ?? 0) : 0)
}

/** A notice within limits, of which its reader hears: once an hour, whatever is withheld, an email says so. */
export async function enqueueNotice<Kind extends Exclude<EmailKind, BoundedKind>>(
  tx: Tx,
  limits: SendingLimits,
  kind: Kind,
  reader: Recipient & { is_verified: boolean },
  params: EmailParams[Kind],
): Promise<EnqueueResult> {
  const result = await enqueueEmailWithinLimits(tx, limits, kind, reader, params)
  if (result.retryAfterSeconds) await announceWithheld(tx, reader)
  return result
}

async function announceWithheld(
  tx: Tx,
  { email, name, locale, is_verified }: Recipient & { is_verified: boolean },
): Promise<void> {
  const params: EmailParams['notices_withheld'] = { verified: is_verified ? '' : 'no' }
  await sql`select announce_withheld_notices(${newId()}, ${email}, ${name}, ${locale}, ${JSON.stringify(params)},
    ${endOfDelivery().toISOString()})`.execute(tx)
}

/** Writes a notice into the outbox, in the transaction of the change that it announces. */
export async function enqueueEmail<Kind extends Exclude<EmailKind, BoundedKind>>(
  tx: Tx,
  kind: Kind,
  recipient: Recipient,
  params: EmailParams[Kind],
  options: EmailOptions = {},
): Promise<void> {
  await enqueueEmailWithinLimits(tx, { perRecipient: null }, kind, recipient, params, options)
}

/** For a signed-in caller's email: 429 when it would exceed a limit, so that nothing is changed. */
export async function enqueueEmailOrRefuse<Kind extends EmailKind>(
  tx: Tx,
  bounds: SendingLimits,
  kind: Kind,
  recipient: Recipient,
  params: EmailParams[Kind],
  options: EmailOptions = {},
): Promise<void> {
  const { retryAfterSeconds } = await enqueueEmailWithinLimits(tx, bounds, kind, recipient, params, options)
  if (retryAfterSeconds) throw problem('email_limit_reached', { retryAfterSeconds })
}

export interface EnqueueResult {
  /** Set: the email was withheld, and would not be after this time. */
  retryAfterSeconds: number | undefined
}

/** The same, where the caller decides what follows when the email is withheld. */
export async function enqueueEmailWithinLimits<Kind extends EmailKind>(
  tx: Tx,
  { perRecipient, perMailbox = null, perSender = null, sender }: SendingLimits,
  kind: Kind,
  { email, name, locale }: Recipient,
  params: EmailParams[Kind],
  { secretId, expiresAt }: EmailOptions = {},
): Promise<EnqueueResult> {
  const until = new Date(Math.min(expiresAt?.getTime() ?? Infinity, endOfDelivery().getTime()))
  const { rows } = await sql<{ seconds: number | null }>`
    select enqueue_email(${newId()}, ${kind}, ${email}, ${name}, ${locale}, ${JSON.stringify(params)},
      ${secretId ?? null}, ${until.toISOString()}, ${sender?.companyId ?? null}, ${sender?.accountId ?? null},
      ${perRecipient}, ${perMailbox}, ${perSender}) as seconds`.execute(tx)
  return { retryAfterSeconds: rows[0]?.seconds ?? undefined }
}
