import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import type { CheckResult } from './dns.ts'
import { domainToken } from './domains.ts'

const CHECKS_PER_HOUR = 10

/**
 * Counts a check that a member asks for, before it begins. Throws when the company has asked too often. `tx` holds a lock of the
 * company, so that checks at the same moment are counted one by one.
 */
export async function countCheck(tx: Tx, { isLimited }: { isLimited: boolean }): Promise<void> {
  const seconds = isLimited ? await secondsUntilAllowed(tx) : undefined
  if (seconds !== undefined) throw problem('rate_limited', { retryAfterSeconds: seconds })
  await tx.insertInto('domain_checks').values({ id: newId() }).execute()
}

/** Until the tenth newest check is an hour old. Undefined: a check is allowed now. */
async function secondsUntilAllowed(tx: Tx): Promise<number | undefined> {
  const waiting = sql<number>`ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()))::integer`
  const blocking = await tx
    .selectFrom('domain_checks')
    .select(waiting.as('seconds'))
    .where('created_at', '>', sql<string>`clock_timestamp() - interval '1 hour'`)
    .orderBy('created_at', 'desc')
    .offset(CHECKS_PER_HOUR - 1)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return blocking && Math.max(1, blocking.seconds)
}

/** A domain that a check was made for. Its token may have changed since. */
export interface CheckedDomain {
  id: string
  token: string
}

/**
 * Stores what the DNS said. A verified domain is checked again within a day; one that fails, four times a day, so that a
 * short outage is over before it counts. Where no one has looked for days, such as in a deleted company, no answer says nothing of
 * them. The moments are spread, so that domains verified together are not checked together.
 */
export async function noteCheck(tx: Tx, { id, token }: CheckedDomain, result: CheckResult): Promise<void> {
  const isFailing = result !== 'found'
  const hours = isFailing ? 6 : 24
  const failingSince =
    result === 'unanswered'
      ? sql`case when checked_at > clock_timestamp() - interval '1 day' then failing_since end`
      : sql`failing_since`
  await tx
    .updateTable('company_domains')
    .set({
      checked_at: sql<string>`clock_timestamp()`,
      check_result: result,
      failing_since: isFailing
        ? sql`case when status = 'verified' then coalesce(${failingSince}, clock_timestamp()) end`
        : null,
      check_at: sql`case when status = 'verified' then ${nextCheck(hours)} end`,
    })
    .where('id', '=', id)
    .where(domainToken, '=', token)
    .execute()
}

/** Up to a tenth earlier, by chance. */
export const nextCheck = (hours: number) =>
  sql<string>`clock_timestamp() + make_interval(hours => ${sql.lit(hours)}) * (1 - random() / 10)`
