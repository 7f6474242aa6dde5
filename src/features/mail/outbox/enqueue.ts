import { sql } from 'kysely'
import type { EmailLimits } from '../../../config/config.ts'
import type { Tx } from '../../../database/open.ts'
import { newId } from '../../../lib/ids.ts'
import { problem } from '../../../problems.ts'

/** Every letter that the service writes, with what its text needs besides the recipient. No secrets: those are derived. */
export interface EmailParams {
  /** To a registered address that is to be proven; carries a link to /verify-email. */
  confirm_email: Record<never, never>
  /** To the new address of an account; carries a link to /verify-email. */
  change_email: Record<never, never>
  /** To the old address: somebody asked to replace it. */
  email_change_requested: { newEmail: string }
  /** To the old address: it was replaced. */
  email_changed: { newEmail: string }
  /** Carries a link to /reset-password. */
  reset_password: Record<never, never>
  password_changed: Record<never, never>
  /** A refresh token that was exchanged was presented again; `ended`: its session was ended for it. */
  refresh_token_reused: { ended: 'yes' | 'no' }
  /** To somebody for whom a company made an account; carries its temporary password. */
  temporary_password: ByPassword
  /** A company asked for a new temporary password; `replaces`: the one before opens nothing any more. */
  password_reset: ByPassword & { replaces: 'yes' | 'no' }
  /** To the owner of an account that a company linked. */
  added_to_company: { company: string }
  /** To who added a member: the membership ended, because its address changed before it was proven. */
  unproven_membership_ended: { company: string; email: string }
  /** To whom a company was offered; it has to be accepted, signed in, within 7 days. */
  ownership_offered: Transfer
  /** To the new Owner and to the former one. */
  ownership_transferred: Transfer
  /** To the Owners of a company; `until`: when it can no longer be restored, ISO 8601. */
  company_deleted: { company: string; by: string; until: string } & Zoned
}

/** The names of the company, of its Owner, and of whoever is to own it. */
interface Transfer {
  company: string
  from: string
  to: string
}

/** A letter that carries a temporary password: who asked, how long it holds, and the key that it is derived with. */
interface ByPassword extends Zoned {
  company: string
  hours: string
  kid: string
}

/** A letter that names a moment, which is told in this IANA zone; without one, in UTC. */
interface Zoned {
  timezone?: string
}
export type EmailKind = keyof EmailParams

export interface Recipient {
  email: string
  name: string
  /** BCP 47, or empty. */
  locale: string
}

export interface EmailOptions {
  /** The row that the secret is derived from: a link's id. */
  secretId?: string
  /** A letter that could not be delivered by then is given up; at most 24 hours. */
  expiresAt?: Date
}

const DELIVERY_HOURS = 24

/**
 * Kinds that are withheld when their recipient or their sender has had enough for the hour. Every other kind is a notice
 * about security or closing: it is never held back. But what an account can repeat at will is bounded, because its address
 * may be somebody else's: see `noticeLimits`.
 */
export type BoundedKind =
  | 'confirm_email'
  | 'change_email'
  | 'reset_password'
  | 'temporary_password'
  | 'password_reset'
  | 'added_to_company'
  | 'ownership_offered'

/** What an email of a bounded kind is counted against. A limit of `null` bounds nothing. */
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
 * For a notice about what an account does by itself, to its own address. With `companyId`: to another one, which is told of
 * each company, and bounded only in how often it is told of the same.
 */
export const noticeLimits = ({ noticesPerRecipient }: EmailLimits, companyId?: string): SendingLimits => ({
  perRecipient: noticesPerRecipient,
  ...(companyId && { sender: { companyId } }),
})

/** Writes a notice into the outbox, in the transaction of the change that it tells of. */
export async function enqueueEmail<Kind extends Exclude<EmailKind, BoundedKind>>(
  tx: Tx,
  kind: Kind,
  recipient: Recipient,
  params: EmailParams[Kind],
  options: EmailOptions = {},
): Promise<void> {
  await enqueueEmailWithinLimits(tx, { perRecipient: null }, kind, recipient, params, options)
}

/** For a signed-in caller's email: 429 when it would be one too many, so that nothing is changed. */
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

/** Set: the email was withheld, and this is when it would not be. */
export interface EnqueueResult {
  retryAfterSeconds: number | undefined
}

/** The same where the caller of the rule decides what follows when the email is withheld. */
export async function enqueueEmailWithinLimits<Kind extends EmailKind>(
  tx: Tx,
  { perRecipient, perMailbox = null, perSender = null, sender }: SendingLimits,
  kind: Kind,
  { email, name, locale }: Recipient,
  params: EmailParams[Kind],
  { secretId, expiresAt }: EmailOptions = {},
): Promise<EnqueueResult> {
  const until = new Date(Math.min(expiresAt?.getTime() ?? Infinity, Date.now() + DELIVERY_HOURS * 3_600_000))
  const { rows } = await sql<{ seconds: number | null }>`
    select enqueue_email(${newId()}, ${kind}, ${email}, ${name}, ${locale}, ${JSON.stringify(params)},
      ${secretId ?? null}, ${until.toISOString()}, ${sender?.companyId ?? null}, ${sender?.accountId ?? null},
      ${perRecipient}, ${perMailbox}, ${perSender}) as seconds`.execute(tx)
  return { retryAfterSeconds: rows[0]?.seconds ?? undefined }
}
