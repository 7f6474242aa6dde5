import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import type { Outcome } from '../delivery/attempt-results.ts'
import type { OutboxLetter } from '../templates/messages.ts'
import type { EmailKind, EmailParams } from './enqueue.ts'

/** A letter in the hands of one worker, until the lease ends. */
export interface HeldLetter extends OutboxLetter {
  /** How often it was taken, this time included. */
  attempts: number
  /** The end of our lease, to the microsecond: it tells whether the letter is still ours. */
  lease: string
  lastError: string | null
  isExpired: boolean
  /** Of a kind that carries a link: it was used or replaced, or its time is over. */
  secretIsDead: boolean
}

/** Longer than any delivery may take; a worker that died keeps its letters no longer than this. */
const LEASE_SECONDS = 45

/**
 * Takes letters that are due. Of workers that do this at once none gets a letter that another has: each skips the rows
 * that the other is about to take. The rows are picked in an array, so that they are picked exactly once.
 */
export async function takeDue(database: Database, lettersMax: number): Promise<HeldLetter[]> {
  const { rows } = await sql<HeldRow>`
    update emails set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = attempts + 1
    where id = any(array(
      select id from emails
      where status = 'pending' and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
      order by next_attempt_at
      limit ${lettersMax}
      for update skip locked
    ))
    returning id, kind, recipient_email, recipient_name, locale, params, secret_id, attempts, claimed_until::text as lease,
      last_error, expires_at <= now() as is_expired,
      secret_id is not null
        and not exists (select from one_time_links where one_time_links.id = emails.secret_id and one_time_links.expires_at > now())
        and not exists (select from passwords where passwords.secret_id = emails.secret_id and passwords.expires_at > now())
        as secret_is_dead,
      (select expires_at from passwords where passwords.secret_id = emails.secret_id) as password_ends_at`.execute(
    database.autocommit(asWorker),
  )
  return rows.map(heldLetter)
}

interface HeldRow {
  id: string
  kind: EmailKind
  recipient_email: string
  recipient_name: string
  locale: string
  params: EmailParams[EmailKind]
  secret_id: string | null
  attempts: number
  lease: string
  last_error: string | null
  is_expired: boolean
  secret_is_dead: boolean
  password_ends_at: string | null
}

function heldLetter({ id, kind, params, secret_id, attempts, lease, ...row }: HeldRow): HeldLetter {
  const recipient = { email: row.recipient_email, name: row.recipient_name, locale: row.locale }
  return {
    id,
    kind,
    recipient,
    params,
    secretId: secret_id,
    passwordEndsAt: row.password_ends_at,
    attempts,
    lease,
    lastError: row.last_error,
    isExpired: row.is_expired,
    secretIsDead: row.secret_is_dead,
  }
}

/** Writes down how it went; false: the lease had ended, and what happens to the letter is no longer ours to say. */
export async function settle(database: Database, { id, lease }: HeldLetter, outcome: Outcome): Promise<boolean> {
  const { numUpdatedRows } = await database
    .autocommit(asWorker)
    .updateTable('emails')
    .set({
      status: outcome.status,
      claimed_until: null,
      last_error: outcome.status === 'sent' ? null : outcome.error,
      ...(outcome.status === 'pending'
        ? { next_attempt_at: sql<string>`least(now() + make_interval(secs => ${outcome.pauseSeconds}), expires_at)` }
        : { finished_at: sql<string>`now()` }),
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('claimed_until', '=', lease)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
