import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { cursorFor, positionIn } from '../../lib/cursors.ts'
import type { Keys } from '../../lib/keys.ts'
import type { CursorPage } from '../../lib/paging.ts'
import { type RecordRow, recordColumns, recordFrom } from './chain/queries.ts'
import { shownChanges } from './records.ts'
import type { AuditQuery, AuditRecord, RecordFilter } from './schemas.ts'

/** Newest first, sealed or not. A cursor is valid for one company and one filter. */
export async function listRecords(
  tx: Tx,
  keys: Keys,
  actor: () => Promise<CompanyActor>,
  { cursor, limit, ...filter }: AuditQuery,
): Promise<CursorPage<AuditRecord>> {
  const list = async () => ['audit', (await actor()).companyId, ...filterValues(filter)]
  const [time = null, id = null] = cursor === undefined ? [] : positionIn(keys, await list(), cursor)
  const [actorId, action, targetType, targetId, outcome, from, to] = filterValues(filter)

  const { rows } = await sql<RecordRow>`
    select ${recordColumns} from find_audit_records(${time}::timestamptz, ${id}::uuid, ${actorId}::uuid, ${action},
      ${targetType}, ${targetId}, ${outcome}, ${from}::timestamptz, ${to}::timestamptz, ${limit + 1})`.execute(tx)
  const items = rows.slice(0, limit).map(auditRecordFrom)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? cursorFor(keys, await list(), [last.created_at, last.id]) : null }
}

const filterValues = ({ actorId, action, targetType, targetId, outcome, from, to }: RecordFilter) =>
  [actorId, action, targetType, targetId, outcome, from, to].map((value) => value ?? null)

function auditRecordFrom(row: RecordRow): AuditRecord {
  const { seq: _, hash: __, ...shown } = recordFrom(row)
  return { ...shown, changes: shownChanges(shown.changes) }
}
