import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'

/** Every letter that the service writes, with what its text needs besides the recipient. No secrets: those are derived. */
export interface Letters {
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
export type LetterKind = keyof Letters

export interface Recipient {
  email: string
  name: string
  /** BCP 47, or empty. */
  locale: string
}

export interface LetterOptions {
  /** The row that the secret is derived from: a link's id. */
  secretId?: string
  /** A letter that could not be delivered by then is given up; at most 24 hours. */
  expiresAt?: Date
}

const HOURLY_LIMIT = 5
const DELIVERY_HOURS = 24

/**
 * Writes a letter into the outbox, in the transaction of the change that it tells of. False: its recipient has had
 * enough of this kind for the hour, and it was not written.
 */
export async function post<Kind extends LetterKind>(
  tx: Tx,
  kind: Kind,
  { email, name, locale }: Recipient,
  params: Letters[Kind],
  { secretId, expiresAt }: LetterOptions = {},
): Promise<boolean> {
  const until = new Date(Math.min(expiresAt?.getTime() ?? Infinity, Date.now() + DELIVERY_HOURS * 3_600_000))
  const { rows } = await sql<{ posted: boolean }>`
    select post_letter(${newId()}, ${kind}, ${email}, ${name}, ${locale}, ${JSON.stringify(params)},
      ${secretId ?? null}, ${until.toISOString()}, ${HOURLY_LIMIT}) as posted`.execute(tx)
  return rows[0]?.posted === true
}
