import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { cursorFor, positionIn } from '../../lib/cursors.ts'
import type { Keys } from '../../lib/keys.ts'
import type { CursorPage } from '../../lib/paging.ts'
import type { Filter } from './chain/batches.ts'
import type { SealedRecord } from './chain/hashing.ts'
import { type RecordRow, recordColumns, recordFrom } from './chain/queries.ts'
import { type ShownChanges, shownChanges } from './records.ts'

export type RecordView = Omit<SealedRecord, 'seq' | 'hash' | 'changes'> & { changes: ShownChanges }

export interface AuditQuery extends Filter {
  cursor?: string | undefined
  limit: number
}

/** The newest first, whether they are sealed or not; a cursor holds good for one company and one filter. */
export async function listRecords(
  tx: Tx,
  keys: Keys,
  companyId: string,
  { cursor, limit, ...filter }: AuditQuery,
): Promise<CursorPage<RecordView>> {
  const list = ['audit', companyId, ...inOrder(filter)]
  const [time = null, id = null] = cursor === undefined ? [] : positionIn(keys, list, cursor)
  const [actorId, action, targetType, targetId, outcome, from, to] = inOrder(filter)

  const { rows } = await sql<RecordRow>`
    select ${recordColumns} from find_audit_records(${time}::timestamptz, ${id}::uuid, ${actorId}::uuid, ${action},
      ${targetType}, ${targetId}, ${outcome}, ${from}::timestamptz, ${to}::timestamptz, ${limit + 1})`.execute(tx)
  const items = rows.slice(0, limit).map(viewFrom)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? cursorFor(keys, list, [last.created_at, last.id]) : null }
}

const inOrder = ({ actorId, action, targetType, targetId, outcome, from, to }: Filter) =>
  [actorId, action, targetType, targetId, outcome, from, to].map((value) => value ?? null)

function viewFrom(row: RecordRow): RecordView {
  const { seq: _, hash: __, ...shown } = recordFrom(row)
  return { ...shown, changes: shownChanges(shown.changes) }
}
