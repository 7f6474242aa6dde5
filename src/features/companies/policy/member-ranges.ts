import { type QueryResult, sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { MAX_UUID, NIL_UUID } from '../../../lib/ids.ts'

/** Members of the current company by their ids: those behind `after`, up to `until`. */
export interface MemberRange {
  after: string
  until: string
}

const MEMBERS_AT_ONCE = 10_000
export const ALL_MEMBERS: MemberRange = {
  after: NIL_UUID,
  until: MAX_UUID,
}

export interface RangeBounds {
  membersAtOnce?: number | undefined
  sessionsAtOnce?: number | undefined
}

/** An account may have 10,000. */
const SESSIONS_AT_ONCE = 50_000

/** All members in parts that policy_findings judges, in the order of their ids, so that no statement grows with the company. */
export async function* memberRanges(tx: Tx, bounds: RangeBounds = {}): AsyncGenerator<MemberRange> {
  const { membersAtOnce = MEMBERS_AT_ONCE, sessionsAtOnce = SESSIONS_AT_ONCE } = bounds
  for (let { after } = ALL_MEMBERS; after !== ALL_MEMBERS.until; ) {
    const { rows }: QueryResult<{ end: string | null }> = await sql<{ end: string | null }>`
      select policy_range_end(${after}::uuid, ${membersAtOnce}, ${sessionsAtOnce}) as end`.execute(tx)
    const until = rows[0]?.end ?? ALL_MEMBERS.until
    yield { after, until }
    after = until
  }
}

/** The last one ends where all members do. */
export async function memberRangeAfter(tx: Tx, after: string, membersAtOnce = MEMBERS_AT_ONCE): Promise<MemberRange> {
  const end = await tx
    .selectFrom('memberships')
    .select('account_id')
    .where('account_id', '>', after)
    .orderBy('account_id')
    .offset(membersAtOnce - 1)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return { after, until: end?.account_id ?? ALL_MEMBERS.until }
}
