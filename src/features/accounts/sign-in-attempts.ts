import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'

const FAILURES_MAX = 10
const WINDOW_MINUTES = 15
const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 3600

/** Networks from which an account signed in within this time are never kept out by other people's guessing. */
const NETWORK_KNOWN_DAYS = 30

/** Whether the account, if there is one, signed in from this network lately; a condition for a query over `accounts`. */
export const signedInLatelyFrom = (network: string) => sql<boolean>`exists (
  select from known_networks
  where account_id = accounts.id and network = ${network}
    and last_sign_in_at > now() - make_interval(days => ${NETWORK_KNOWN_DAYS}))`

/** The same of an account that is signed in. */
export async function isKnownNetwork(
  database: Database,
  { accountId, network }: { accountId: string; network: string },
): Promise<boolean> {
  const row = await database
    .autocommit(asAccount(accountId))
    .selectFrom('accounts')
    .select(signedInLatelyFrom(network).as('known'))
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.known ?? false
}

/** Throws 429 while the address has to wait, before the caller waits in line; `countAttempt` has the last word. */
export async function assertNotBlocked(database: Database, email: string, networkIsKnown: boolean): Promise<void> {
  const seconds = await secondsLeft(database.autocommit(asAnyone), email)
  if (seconds > 0 && !networkIsKnown) throw problem('too_many_attempts', { retryAfterSeconds: seconds })
}

/**
 * Counts a try to prove a password, for the address, existing or not, from all networks together. It is counted before
 * the password is checked, so that many tries at once can't all pass, but only when its check begins: a request that is
 * refused because too many wait has tried nothing. A success clears the count. Throws 429 while the address has to wait,
 * unless the caller's network is known.
 */
export async function countAttempt(database: Database, email: string, networkIsKnown: boolean): Promise<void> {
  const tx = database.autocommit(asAnyone)
  const { rows } = await sql<{ counted: boolean }>`
    insert into sign_in_attempts as attempts (email, failures) values (${email}, 1)
    on conflict (email) do update set
      failures = case when ${over} then 1 else attempts.failures + 1 end,
      window_started_at = case when ${over} then now() else attempts.window_started_at end,
      blocked_until = case when ${over} or attempts.failures + 1 < ${FAILURES_MAX} then null
        else now() + least(
          ${FIRST_WAIT_SECONDS} * power(2, least(attempts.failures + 1 - ${FAILURES_MAX}, 20)), ${LONGEST_WAIT_SECONDS}
        ) * interval '1 second' end
    where attempts.blocked_until is null or attempts.blocked_until <= now()
    returning true as counted`.execute(tx)
  if (rows.length > 0 || networkIsKnown) return
  throw problem('too_many_attempts', { retryAfterSeconds: Math.max(1, await secondsLeft(tx, email)) })
}

/** A count is over when its window is, and its last wait as long again. */
const over = sql`(
  attempts.window_started_at < now() - make_interval(mins => ${WINDOW_MINUTES})
  and (attempts.blocked_until is null or attempts.blocked_until < now() - make_interval(mins => ${WINDOW_MINUTES})))`

async function secondsLeft(tx: Tx, email: string): Promise<number> {
  const row = await tx
    .selectFrom('sign_in_attempts')
    .select(sql<number>`ceil(extract(epoch from blocked_until - now()))::int`.as('seconds'))
    .where('email', '=', email)
    .executeTakeFirst()
  return Math.max(0, row?.seconds ?? 0)
}

/** Right after the password was proven: what fails afterwards, on our side or by a rule, was no wrong guess. */
export async function clearAttempts(tx: Tx, email: string): Promise<void> {
  await tx.deleteFrom('sign_in_attempts').where('email', '=', email).execute()
}
