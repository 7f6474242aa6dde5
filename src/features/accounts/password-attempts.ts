import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'

const FAILURES_MAX = 10
const WINDOW_MINUTES = 15
export const FIRST_BLOCK_SECONDS = 30
const BLOCK_SECONDS_MAX = 3600

/** A network from which the account signed in within this time is never blocked by failed attempts from elsewhere. */
export const KNOWN_NETWORK_DAYS = 30

/** A condition for a query over `accounts`: the account signed in from this network recently. */
export const hasRecentSignInFrom = (network: string) => sql<boolean>`exists (
  select from known_networks
  where account_id = accounts.id and network = ${network}
    and last_sign_in_at > now() - make_interval(days => ${KNOWN_NETWORK_DAYS}))`

/** Whether the signed-in account used this network recently. */
export async function isKnownNetwork(
  database: Database,
  { accountId, network }: { accountId: string; network: string },
): Promise<boolean> {
  const row = await database
    .autocommit(asAccount(accountId))
    .selectFrom('accounts')
    .select(hasRecentSignInFrom(network).as('known'))
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.known ?? false
}

/** Throws 429 while the address is blocked, before the caller queues for hashing. Counting checks again. */
export function assertNotBlocked(blockedSeconds: number, isNetworkKnown: boolean): void {
  if (blockedSeconds > 0 && !isNetworkKnown) throw problem('too_many_attempts', { retryAfterSeconds: blockedSeconds })
}

/**
 * Counts an attempt for the address, whether it has an account or not, from all networks together. Called before the
 * password is verified, so that parallel attempts can't all pass, but only when verification begins: a request that the
 * hashing queue refused has tried no password. A success clears the count. False: the address is blocked.
 */
export async function countPasswordAttempt(database: Database, email: string): Promise<boolean> {
  const counted = await database.query(asAnyone, { sql: COUNT, parameters: [email] })
  return counted.length > 0
}

/** The refusal while the address is blocked. `secondsMax`: of the wait that it tells. */
export async function tooManyPasswords(database: Database, email: string, secondsMax = BLOCK_SECONDS_MAX) {
  const seconds = Math.max(1, await findBlockedSeconds(database, email))
  return problem('too_many_attempts', { retryAfterSeconds: Math.min(seconds, secondsMax) })
}

/** The counter resets after the window, and no earlier than one window after the last block. */
const IS_EXPIRED = `(
  attempts.window_started_at < now() - make_interval(mins => ${WINDOW_MINUTES})
  and (attempts.blocked_until is null or attempts.blocked_until < now() - make_interval(mins => ${WINDOW_MINUTES})))`

const COUNT = `
  insert into password_attempts as attempts (email, failures) values ($1, 1)
  on conflict (email) do update set
    failures = case when ${IS_EXPIRED} then 1 else attempts.failures + 1 end,
    window_started_at = case when ${IS_EXPIRED} then now() else attempts.window_started_at end,
    blocked_until = case when ${IS_EXPIRED} or attempts.failures + 1 < ${FAILURES_MAX} then null
      else now() + least(
        ${FIRST_BLOCK_SECONDS} * power(2, least(attempts.failures + 1 - ${FAILURES_MAX}, 20)), ${BLOCK_SECONDS_MAX}
      ) * interval '1 second' end
  where attempts.blocked_until is null or attempts.blocked_until <= now()
  returning true as counted`

/** How much longer the address of a row in `password_attempts` is blocked; null or below zero: it is not. */
export const BLOCKED_SECONDS = 'ceil(extract(epoch from blocked_until - now()))::int'

export async function findBlockedSeconds(database: Database, email: string): Promise<number> {
  const [row] = await database.query<{ seconds: number | null }>(asAnyone, { sql: FIND_BLOCKED, parameters: [email] })
  return Math.max(0, row?.seconds ?? 0)
}

const FIND_BLOCKED = `select ${BLOCKED_SECONDS} as seconds from password_attempts where email = $1`

/** Called after verification: what fails later, by a rule or a fault of ours, was not a wrong password. */
export async function clearPasswordAttempts(tx: Tx, email: string): Promise<void> {
  await tx.deleteFrom('password_attempts').where('email', '=', email).execute()
}
