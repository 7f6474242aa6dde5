import { readFixed } from '../../database/fixed-statements.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { PAGE_LIMIT_MAX } from '../../lib/paging.ts'
import { type RecordRow, shownColumns } from './chain/queries.ts'
import type { RecordFilter } from './schemas.ts'

/** A record without its place in the chain. */
export type ShownRow = Omit<
  RecordRow,
  'seq' | 'hash' | 'actor_salt' | 'target_salt' | 'actor_commitment' | 'target_commitment'
> & { is_actor_erased: boolean; is_target_erased: boolean }

/** Where a page begins: after the record with this time and id. */
export type Position = [time: string, id: string]

/**
 * The current company's newest records that match. With at most one filter that has an index, the statement is planned once
 * for all values: that index has the records in order. With several, only the values tell which filter matches fewer, so
 * the function plans each call.
 */
export async function findRecords(
  tx: Tx,
  filter: RecordFilter,
  position: Position | undefined,
  limit: number,
): Promise<ShownRow[]> {
  const names = indexedFilters.filter((name) => filter[name] !== undefined)
  if (names.length > 1 && names.join() !== 'targetType,targetId') return planAndFind(tx, filter, position, limit)

  const { conditions, values } = conditionsOf(filter, position)
  return readFixed(tx, pageOf(conditions), [limit, ...values])
}

const indexedFilters = ['actorId', 'action', 'targetType', 'targetId', 'outcome'] as const

const COMPARISONS = {
  actorId: 'actor_id =',
  action: 'action =',
  targetType: 'target_type =',
  targetId: 'target_id =',
  // Nearly all records have the outcome 'done'; the others have an index of their own, whose condition this repeats.
  outcome: `outcome <> 'done' and outcome =`,
  from: 'created_at >=',
  to: 'created_at <=',
} as const satisfies Record<keyof RecordFilter, string>
const filterNames = Object.keys(COMPARISONS) as (keyof RecordFilter)[]

/** In one order, so that equal filters give one text. The first parameter of the statement is the limit. */
function conditionsOf(filter: RecordFilter, position: Position | undefined) {
  const values: string[] = []
  const parameter = (value: string) => `$${values.push(value) + 1}`
  const conditions = filterNames.flatMap((name) => {
    const value = filter[name]
    if (value === undefined) return []
    return name === 'outcome' && value === 'done' ? [`outcome = 'done'`] : [`${COMPARISONS[name]} ${parameter(value)}`]
  })
  if (position) {
    const [time, id] = position
    conditions.push(`(created_at, id) < (${parameter(time)}::timestamptz, ${parameter(id)}::uuid)`)
  }
  return { conditions, values }
}

/** The limits inside are constants, so that the planner expects few rows; the one outside ends the reading earlier. */
function pageOf(conditions: string[]): string {
  const newest = (kind: string) =>
    `(select * from audit_records where ${['company_id = current_company()', kind, ...conditions].join(' and ')}
    order by created_at desc, id desc limit ${PAGE_LIMIT_MAX + 1})`
  return `select ${shownColumns} from (${newest('seq is null')} union all ${newest('seq is not null')}) both_kinds
    order by created_at desc, id desc limit $1`
}

async function planAndFind(
  tx: Tx,
  { actorId, action, targetType, targetId, outcome, from, to }: RecordFilter,
  [time, id]: Position | [] = [],
  limit: number,
): Promise<ShownRow[]> {
  const values = [time, id, actorId, action, targetType, targetId, outcome, from, to, limit]
  return planned(tx, ...values)
}

const PLAN_AND_FIND = `select ${shownColumns} from find_audit_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
const planned = statement<ShownRow, unknown[]>(PLAN_AND_FIND)
