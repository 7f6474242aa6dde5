import { sql } from 'kysely'
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

/** All members in parts, in the order of their ids, so that no statement grows with the company. */
export async function* memberRanges(tx: Tx, membersAtOnce = MEMBERS_AT_ONCE): AsyncGenerator<MemberRange> {
  for (let { after } = ALL_MEMBERS; after !== ALL_MEMBERS.until; ) {
    const range = await memberRangeAfter(tx, after, membersAtOnce)
    yield range
    after = range.until
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
