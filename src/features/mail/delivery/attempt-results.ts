import { PermanentDeliveryError } from '../templates/permanent-delivery-error.ts'

/** How one attempt to deliver an email ended. */
export type AttemptResult =
  | { status: 'sent' }
  | { status: 'failed'; error: string }
  /** To be tried again, unless the email expires before. */
  | { status: 'pending'; error: string; pauseSeconds: number }

export function failedAttempt(attempts: number, error: unknown): AttemptResult {
  const reply = discreet(error instanceof Error ? error.message : String(error))
  if (error instanceof PermanentDeliveryError) return { status: 'failed', error: reply }
  return { status: 'pending', error: reply, pauseSeconds: pauseAfter(attempts) }
}

const FIRST_PAUSES_SECONDS = [2, 10, 30]
const LONGEST_PAUSE_SECONDS = 86_400

/** 2, 10 and 30 seconds, then doubling. */
export function pauseAfter(attempts: number): number {
  return FIRST_PAUSES_SECONDS[attempts - 1] ?? Math.min(30 * 2 ** (attempts - 3), LONGEST_PAUSE_SECONDS)
}

const LENGTH_MAX = 500
const ADDRESS = /[^\s<>"(),:;]+@[^\s<>"(),:;]+/g
const QUERY = /\?\S*/g
// A token is longer than any word; a server that refuses an email may quote it.
const LONG_RUN = /[\w=-]{40,}/g
/** 16 characters of both cases and digits; an id of a server that looks like one goes, too. */
const PASSWORD = /\b(?=\w*[A-Z])(?=\w*[a-z])(?=\w*\d)\w{16,}\b/g
/** Of a mailbox, or of a second factor. */
const CODE = /\b(?:\d{8}|\d{4}[ -]\d{4})\b/g

/** A mail server's reply without addresses and tokens that it quotes, for the log and the outbox. */
export function discreet(message: string): string {
  const masked = message
    .slice(0, 10_000)
    .replace(ADDRESS, '…@…')
    .replace(QUERY, '?…')
    .replace(LONG_RUN, '…')
    .replace(PASSWORD, '…')
    .replace(CODE, '…')
  return masked
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, LENGTH_MAX)
    .toWellFormed()
}
