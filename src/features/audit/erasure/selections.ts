import { type RawBuilder, sql } from 'kysely'
import { auditActions, auditTargetTypes } from '../../../access/actions.ts'
import type { Tx } from '../../../database/open.ts'
import { NIL_UUID } from '../../../lib/ids.ts'
import type { Part } from '../chain/commitments.ts'

/** Which parts of which records. */
export interface Selection {
  part: Part
  kind: Kind
  /** Which of this kind. */
  where: RawBuilder<unknown>
  /** They name the person by an address alone. */
  isByAddress: boolean
}

/** Where a record stands in the order of their times. */
interface Place {
  created_at: string
  id: string
}

/**
 * Records that an index gives in the order of their times. Conditions and order name the column that they have in common, so that the
 * planner has no other index to walk, which would mean all records of the company.
 */
interface Kind {
  is: RawBuilder<unknown>
  behind(place: Place): RawBuilder<unknown>
  upTo(place: Place): RawBuilder<unknown>
  order: RawBuilder<unknown>
}

function having(column: 'action' | 'target_type' | 'target_id' | 'actor_id', value: RawBuilder<unknown>): Kind {
  const order = sql`${sql.ref(column)}, created_at, id`
  const at = ({ created_at, id }: Place) => sql`(${value}, ${created_at}::timestamptz, ${id}::uuid)`
  return {
    is: sql`${sql.ref(column)} = ${value}`,
    behind: (place) => sql`(${order}) > ${at(place)}`,
    upTo: (place) => sql`(${order}) <= ${at(place)}`,
    order,
  }
}

const withoutActor: Kind = {
  is: sql`actor_id is null`,
  behind: ({ created_at, id }) =>
    sql`actor_id is null and (created_at, id) > (${created_at}::timestamptz, ${id}::uuid)`,
  upTo: ({ created_at, id }) => sql`(created_at, id) <= (${created_at}::timestamptz, ${id}::uuid)`,
  order: sql`actor_id, created_at, id`,
}

/** People are named by these in no other way than by an id. Any other kind of target may be labeled with an address. */
const NAMED_BY_ID: readonly string[] = ['account', 'member', 'session', 'company', 'role', 'branch', 'route']
export const NAMING_TARGET_TYPES = auditTargetTypes.filter((type) => !NAMED_BY_ID.includes(type))
/** But records of these actions name people by their addresses. Their targets are companies. */
export const NAMING_ACTIONS = auditActions.filter((action) => action.startsWith('ownership.'))

export function mentions(addresses: readonly string[]): Selection[] {
  // Keys of an object are found without comparing each: an account may have had thousands of addresses.
  const keys = sql`${JSON.stringify(Object.fromEntries(addresses.map((address) => [address, true])))}::jsonb`
  const where = sql`audit_address_appears(target_label, changes, ${keys})`
  const isActor = sql`${keys} ? lower(actor_email)`
  const target = (kind: Kind): Selection => ({ part: 'target', kind, where, isByAddress: true })
  return [
    ...NAMING_ACTIONS.map((action) => target(having('action', sql`${action}::text`))),
    { part: 'actor', kind: withoutActor, where: isActor, isByAddress: true },
    ...NAMING_TARGET_TYPES.map((type) => target(having('target_type', sql`${type}::text`))),
  ]
}

/**
 * About the account, as the verification sees it (accountOfTarget in ../chain/erasures.ts). A caller may send the id of an account in
 * the place of another one: what is recorded of that says nothing of a person. The records of an erasure name the account by its id
 * alone, and are what the verification looks for.
 */
const isAboutAccount = sql`target_type in ('account', 'member') and action <> 'audit.erase'`

export const byId = (accountId: string): Selection[] => [
  { part: 'actor', kind: having('actor_id', sql`${accountId}::uuid`), where: sql`true`, isByAddress: false },
  { part: 'target', kind: having('target_id', sql`${accountId}::text`), where: isAboutAccount, isByAddress: false },
]

/** What each part of a record calls a person. */
export const addressIn = (part: Part) => (part === 'actor' ? sql`actor_email` : sql`target_label`)

/** For records that can still be erased. */
export const hasSalt = (part: Part) => (part === 'actor' ? sql`actor_salt is not null` : sql`target_salt is not null`)

const BEFORE_ALL: Place = { created_at: '-infinity', id: NIL_UUID }
const AFTER_ALL: Place = { created_at: 'infinity', id: NIL_UUID }
export const RECORDS_AT_ONCE = 20_000

/**
 * The sealed records of one kind in the current company, in parts, so that no statement looks at more of them than it has time for, however
 * many there are. Each is a condition, which includes that on the kind.
 */
export async function* partsOf(tx: Tx, kind: Kind): AsyncGenerator<RawBuilder<unknown>> {
  for (let after: Place | undefined = BEFORE_ALL; after; ) {
    const until = await findEnd(tx, kind, after)
    yield sql`${kind.behind(after)} and ${kind.upTo(until ?? AFTER_ALL)}`
    after = until
  }
}

/** Undefined: no more records than these are left. */
async function findEnd(tx: Tx, { behind, upTo, order }: Kind, after: Place): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select created_at, id from audit_records
    where company_id = current_company() and seq is not null and ${behind(after)} and ${upTo(AFTER_ALL)}
    order by ${order} offset ${RECORDS_AT_ONCE - 1} limit 1`.execute(tx)
  return rows[0]
}
