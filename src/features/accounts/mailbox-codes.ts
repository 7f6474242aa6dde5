import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import type { Keys } from '../../lib/keys.ts'
import { mailboxCode } from '../../lib/secrets.ts'
import type { EmailParams, Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmailOrRefuse, type SendingLimits } from '../mail/outbox/enqueue.ts'

const CODE_MINUTES = 15
/** Of one code. How many codes there can be in an hour is for the limits of emails to say. */
const TRIES_MAX = 5

/** What the session wants that asks for a code. The reader of the email agrees to that, and to nothing else. */
export type MailboxPurpose = EmailParams['mailbox_code']['purpose']

/** Of `sessions`: the address whose mailbox was proved for this purpose. */
export const PROVED_EMAIL = {
  joining: 'proved_email',
  factor: 'proved_email_for_factor',
} as const satisfies Record<MailboxPurpose, string>

/** Replaces the code that the session was sent before. */
export async function sendMailboxCode(
  tx: Tx,
  bounds: SendingLimits,
  actor: Actor,
  { to, purpose }: { to: Recipient; purpose: MailboxPurpose },
): Promise<void> {
  const id = newId()
  const expiresAt = new Date(Date.now() + CODE_MINUTES * 60_000)
  await enqueueEmailOrRefuse(tx, bounds, 'mailbox_code', to, { codeId: id, purpose }, { expiresAt })
  const code = {
    id,
    email: to.email,
    purpose,
    tries: 0,
    expires_at: sql<string>`now() + make_interval(mins => ${CODE_MINUTES})`,
  }
  await tx
    .insertInto('mailbox_codes')
    .values({ session_id: actor.sessionId, ...code })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(code))
    .execute()
}

/**
 * Counts the try before the code is looked at. Undefined: it is not the code that the session was sent, it was sent for something else,
 * or it has expired.
 */
export async function tryMailboxCode(
  { database, keys }: { database: Database; keys: Keys },
  { accountId, sessionId }: Actor,
  { code, purpose }: { code: string; purpose: MailboxPurpose },
): Promise<string | undefined> {
  const sent = await database.write(asAccount(accountId), (tx) =>
    tx
      .updateTable('mailbox_codes')
      .set({ tries: sql<number>`tries + 1` })
      .where('session_id', '=', sessionId)
      .where('purpose', '=', purpose)
      .where('tries', '<', TRIES_MAX)
      .where('expires_at', '>', sql<string>`now()`)
      .returning('id')
      .executeTakeFirst(),
  )
  return sent && keys.accepted.some((keySet) => isSame(code, mailboxCode(keySet, sent.id))) ? sent.id : undefined
}

/** False: it was used in this very moment, or was sent to an address that the account no longer has. */
export async function useMailboxCode(tx: Tx, { sessionId }: Actor, id: string, email: string): Promise<boolean> {
  const used = await tx
    .deleteFrom('mailbox_codes')
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where('email', '=', email)
    .executeTakeFirst()
  return used.numDeletedRows === 1n
}

/** By the code this session has shown that its user reads the mailbox of this address. */
export async function markMailboxProved(
  tx: Tx,
  { sessionId }: Pick<Actor, 'sessionId'>,
  { email, purpose }: { email: string; purpose: MailboxPurpose },
): Promise<void> {
  const proved = { [PROVED_EMAIL[purpose]]: email }
  await tx.updateTable('sessions').set(proved).where('id', '=', sessionId).execute()
}

function isSame(given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(code)]
  return a.length === b.length && timingSafeEqual(a, b)
}
