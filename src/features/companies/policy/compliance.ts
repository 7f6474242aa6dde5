import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import { isoTime } from '../../../database/json.ts'
import type { Tx } from '../../../database/open.ts'
import type { Page } from '../../../lib/paging.ts'
import { assertCanReadMembers } from '../../roles/explain-permission.ts'
import { ALL_MEMBERS, type MemberRange, memberRanges } from './member-ranges.ts'
import type { ComplianceQuery, NonCompliantMember } from './schemas.ts'

const LAST_ACTIVE_AT = isoTime('found.last_active_at')

/** A page further back takes one statement, because each part would have to send all that comes before it. */
const MERGED_MAX = 2000

const columns = { name: 'name_folded', email: 'email', last_active_at: 'found.last_active_at' } as const

/** Active members whom the policy keeps out, and those who lack what it asks for. */
export async function listNonCompliant(
  tx: Tx,
  actor: CompanyActor,
  query: ComplianceQuery,
  membersAtOnce?: number,
): Promise<Page<NonCompliantMember>> {
  assertCanReadMembers(actor)
  const { page, limit } = query
  const ranges = page * limit > MERGED_MAX ? [ALL_MEMBERS] : await Array.fromAsync(memberRanges(tx, membersAtOnce))
  const [start, end] = [(page - 1) * limit, page * limit]
  const isWhole = ranges.length === 1
  const parts: Part[] = []
  for (const range of ranges) parts.push(await findInRange(tx, query, range, isWhole ? [start, limit] : [0, end]))
  const items = isWhole ? (parts[0] as Part).items : merged(parts, query).slice(start, end)
  return { items: items.map(({ key: _, ...item }) => item), total: parts.reduce((sum, part) => sum + part.total, 0) }
}

interface Part {
  total: number
  /** In order: of all members those of the page, of some those that could be on it or before it. */
  items: (NonCompliantMember & { key: string | null })[]
}

async function findInRange(
  tx: Tx,
  { lacks, sortBy, sortDir }: ComplianceQuery,
  { after, until }: MemberRange,
  [start, count]: [start: number, count: number],
): Promise<Part> {
  const direction = sortDir === 'desc' ? sql`desc` : sql`asc`
  const column = sql.ref(columns[sortBy])
  const { rows } = await sql<Part>`
    with found as materialized (
      select * from policy_findings('{}', false, ${after}::uuid, ${until}::uuid)
      where (closed_by is not null or lacks <> '{}') and (${lacks ?? null}::text is null or ${lacks ?? null} = any (lacks))),
    listed as (
      select account_id as id, name, email, lacks, closed_by as "closedBy",
        ${sql.raw(LAST_ACTIVE_AT)} as last_active_at, ${column}::text as key
      from found join memberships using (account_id)
      order by ${column} ${direction} nulls last, account_id ${direction}
      limit ${count} offset ${start})
    select (select count(*) from found)::integer as total, coalesce((select json_agg(listed) from listed), '[]') as items`.execute(
    tx,
  )
  return rows[0] as Part
}

/** In the order of the database, which compares bytes here; times in UTC have one length. */
function merged(parts: Part[], { sortDir }: ComplianceQuery): Part['items'] {
  const factor = sortDir === 'desc' ? -1 : 1
  const byId = (a: NonCompliantMember, b: NonCompliantMember) => (a.id < b.id ? -factor : factor)
  return parts
    .flatMap(({ items }) => items)
    .sort((a, b) => {
      if (a.key === null || b.key === null) return a.key === b.key ? byId(a, b) : a.key === null ? 1 : -1
      return factor * Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || byId(a, b)
    })
}
