import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

const ENTERED_PER_HOUR = 100

/**
 * How many seconds pass until the account that `tx` acts for may enter another company; 0 for any that creates and joins few. Under
 * the account's lock, so that those that it enters at once are counted.
 */
export async function findWaitToEnter(tx: Tx): Promise<number> {
  const seconds = sql<number>`ceil(extract(epoch from created_at + interval '1 hour' - now()))::integer`
  const blocking = await tx
    .selectFrom('memberships')
    .select(seconds.as('seconds'))
    .where('account_id', '=', sql<string>`current_account()`)
    .where('created_at', '>', sql<string>`now() - interval '1 hour'`)
    .whereRef('opened_at', '=', 'created_at')
    .orderBy('created_at', 'desc')
    .offset(ENTERED_PER_HOUR - 1)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return blocking ? Math.max(1, blocking.seconds) : 0
}

/**
 * Who has stolen an access token may create and join companies while it is valid: so many that the account enters no other one
 * afterwards, if nothing bounds it.
 */
export function assertMayEnter({ rateLimit }: Config, waitSeconds: number): void {
  if (rateLimit.enabled && waitSeconds > 0) throw problem('rate_limited', { retryAfterSeconds: waitSeconds })
}
