import { sql } from 'kysely'
import { readFixed } from '../../database/fixed-statements.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { JsonPage } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { FOUND_MEMBERS, ONE_MEMBER, pageStatement } from './list-statements.ts'
import type { Member, MemberQuery } from './schemas.ts'

/** One statement, which writes the page as JSON: that costs it less than rows cost the service. */
export async function listMembers(tx: Tx, query: MemberQuery): Promise<JsonPage<Member>> {
  const [page] = await (query.search || query.roleId || query.branchId ? findFiltered(tx, query) : findAll(tx, query))
  return { items: new JsonText(page?.items ?? '[]'), total: page?.total ?? 0 }
}

interface Row {
  items: string
  total: number
}

/** Without a filter the page is read from an index in order, and the total from a counter. */
function findAll(tx: Tx, query: MemberQuery): Promise<Row[]> {
  const { page, limit } = query
  const offset = (page - 1) * limit
  return readFixed(tx, pageStatement(query, offset), [limit, offset])
}

/**
 * With a filter one function finds the page’s ids and the total, with a plan for these very values: see
 * docs/decisions/0008-member-list.md.
 */
function findFiltered(
  tx: Tx,
  { page, limit, search, status, roleId, branchId, sortBy, sortDir }: MemberQuery,
): Promise<Row[]> {
  const filter = [search ? likePattern(search) : null, status ?? null, roleId ?? null, branchId ?? null]
  return findFound(tx, ...filter, sortBy, sortDir === 'desc', limit, (page - 1) * limit)
}

const findFound = statement<Row, unknown[]>(FOUND_MEMBERS)

/** The only way to read one member, because its ETag is made from this. */
export async function getMember(tx: Tx, accountId: string): Promise<Member> {
  const [member] = await findMember(tx, accountId)
  if (!member) throw problem('member_not_found')
  return member
}

const findMember = statement<Member, [accountId: string]>(ONE_MEMBER)

/** Called late by the writers of memberships, because all writers of a company share this one row. */
export async function adjustMemberCounters(tx: Tx, change: { active?: number; inactive?: number }): Promise<void> {
  await tx
    .updateTable('company_counters')
    .set({
      active_members: sql`active_members + ${change.active ?? 0}`,
      inactive_members: sql`inactive_members + ${change.inactive ?? 0}`,
    })
    .execute()
}
