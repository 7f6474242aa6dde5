import { Undeliverable } from '../templates/messages.ts'

/** How one attempt at a letter ended. */
export type Outcome =
  | { status: 'sent' }
  | { status: 'failed'; error: string }
  /** To be tried again, but not after its time. */
  | { status: 'pending'; error: string; pauseSeconds: number }

export function failureOf(attempts: number, error: unknown): Outcome {
  const said = discreet(error instanceof Error ? error.message : String(error))
  if (error instanceof Undeliverable) return { status: 'failed', error: said }
  return { status: 'pending', error: said, pauseSeconds: pauseAfter(attempts) }
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
// A token is longer than any word; a server that dislikes a letter may quote it.
const LONG_RUN = /[\w=-]{40,}/g

/** What a mail server said, without what it repeats of the letter: for the log and the outbox. */
export function discreet(message: string): string {
  const masked = message.slice(0, 10_000).replace(ADDRESS, '…@…').replace(QUERY, '?…').replace(LONG_RUN, '…')
  return masked
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, LENGTH_MAX)
    .toWellFormed()
}
