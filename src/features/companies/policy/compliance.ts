import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import { isoTime } from '../../../database/json.ts'
import type { Tx } from '../../../database/open.ts'
import type { Page } from '../../../lib/paging.ts'
import { assertCanReadMembers } from '../../roles/explain-permission.ts'
import { ALL_MEMBERS, type MemberRange, memberRanges, type RangeBounds } from './member-ranges.ts'
import type { ComplianceQuery, NonCompliantMember } from './schemas.ts'

const LAST_ACTIVE_AT = isoTime('found.last_active_at')

/** For a page further back each part sends no members but what they are sorted by, and then those of the page. */
const MERGED_MAX = 2000

const columns = { name: 'name_folded', email: 'email', last_active_at: 'found.last_active_at' } as const

/** Active members whom the policy keeps out, and those who lack what it asks for. */
export async function listNonCompliant(
  tx: Tx,
  actor: CompanyActor,
  query: ComplianceQuery,
  bounds?: RangeBounds,
): Promise<Page<NonCompliantMember>> {
  assertCanReadMembers(actor)
  const ranges = await Array.fromAsync(memberRanges(tx, bounds))
  const { items, total } =
    ranges.length === 1 || query.page * query.limit <= MERGED_MAX
      ? await mergePage(tx, query, ranges)
      : await findDeepPage(tx, query, ranges)
  return { items: items.map(({ key: _, ...item }) => item), total }
}

async function mergePage(tx: Tx, query: ComplianceQuery, ranges: MemberRange[]): Promise<Part> {
  const [start, end] = [(query.page - 1) * query.limit, query.page * query.limit]
  if (ranges.length === 1) return findInRange(tx, query, ALL_MEMBERS, [start, query.limit])
  const parts: Part[] = []
  for (const range of ranges) parts.push(await findInRange(tx, query, range, [0, end]))
  return { items: merged(parts, query).slice(start, end), total: totalOf(parts) }
}

async function findDeepPage(tx: Tx, query: ComplianceQuery, ranges: MemberRange[]): Promise<Part> {
  const sorted: Keys[] = []
  for (const range of ranges) sorted.push(await findKeys(tx, query, range))
  const parts: Part[] = []
  for (const { part, start, count } of placesOf(sorted, query))
    parts.push(await findInRange(tx, query, ranges[part] as MemberRange, [start, count]))
  return { items: merged(parts, query), total: totalOf(sorted) }
}

const totalOf = (parts: { total: number }[]) => parts.reduce((sum, { total }) => sum + total, 0)

interface Part {
  total: number
  /** In order: of all members those of the page, of some those that could be on it or before it. */
  items: (NonCompliantMember & { key: string | null })[]
}

async function findInRange(
  tx: Tx,
  query: ComplianceQuery,
  range: MemberRange,
  [start, count]: [start: number, count: number],
): Promise<Part> {
  const { column, order } = orderOf(query)
  const { rows } = await sql<Part>`
    with found as materialized (${foundIn(query, range)}),
    listed as (
      select account_id as id, name, email, lacks, closed_by as "closedBy",
        ${sql.raw(LAST_ACTIVE_AT)} as last_active_at, ${column}::text as key
      from found join memberships using (account_id)
      order by ${order} limit ${count} offset ${start})
    select (select count(*) from found)::integer as total, coalesce((select json_agg(listed) from listed), '[]') as items`.execute(
    tx,
  )
  return rows[0] as Part
}

interface Keys {
  total: number
  /** What they are sorted by, in order, of those that could be on the page or before it. */
  keys: (string | null)[]
}

async function findKeys(tx: Tx, query: ComplianceQuery, range: MemberRange): Promise<Keys> {
  const { column, order } = orderOf(query)
  const { rows } = await sql<Keys>`
    with found as materialized (${foundIn(query, range)}),
    listed as (
      select ${column}::text as key from found join memberships using (account_id)
      order by ${order} limit ${query.page * query.limit})
    select (select count(*) from found)::integer as total, coalesce((select json_agg(key) from listed), '[]') as keys`.execute(
    tx,
  )
  return rows[0] as Keys
}

const foundIn = ({ lacks }: ComplianceQuery, { after, until }: MemberRange) => sql`
  select * from policy_findings('{}', false, ${after}::uuid, ${until}::uuid)
  where (closed_by is not null or lacks <> '{}') and (${lacks ?? null}::text is null or ${lacks ?? null} = any (lacks))`

function orderOf({ sortBy, sortDir }: ComplianceQuery) {
  const direction = sortDir === 'desc' ? sql`desc` : sql`asc`
  const column = sql.ref(columns[sortBy])
  return { column, order: sql`${column} ${direction} nulls last, account_id ${direction}` }
}

interface Place {
  part: number
  start: number
  count: number
}

/** Which members of each part are on the page. The parts are in the order of the ids, which decide between equal keys. */
function placesOf(parts: Keys[], { page, limit, sortDir }: ComplianceQuery): Place[] {
  const factor = sortDir === 'desc' ? -1 : 1
  const all = parts.flatMap(({ keys }, part) => keys.map((key, index) => ({ bytes: bytesOf(key), part, index })))
  all.sort((a, b) => compareKeys(a.bytes, b.bytes, factor) || factor * (a.part - b.part))
  const places = new Map<number, Place>()
  for (const { part, index } of all.slice((page - 1) * limit, page * limit)) {
    const { start, count } = places.get(part) ?? { start: index, count: 0 }
    places.set(part, { part, start, count: count + 1 })
  }
  return [...places.values()]
}

/** In the order of the database, which compares bytes here; times in UTC have one length. */
function merged(parts: Part[], { sortDir }: ComplianceQuery): Part['items'] {
  const factor = sortDir === 'desc' ? -1 : 1
  return parts
    .flatMap(({ items }) => items.map((item) => ({ item, bytes: bytesOf(item.key) })))
    .sort((a, b) => compareKeys(a.bytes, b.bytes, factor) || (a.item.id < b.item.id ? -factor : factor))
    .map(({ item }) => item)
}

const bytesOf = (key: string | null) => (key === null ? null : Buffer.from(key))

/** Null comes last in both directions. */
function compareKeys(a: Buffer | null, b: Buffer | null, factor: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return factor * Buffer.compare(a, b)
}
