import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { cursorFor, positionIn } from '../../lib/cursors.ts'
import type { Keys } from '../../lib/keys.ts'
import type { CursorPage } from '../../lib/paging.ts'
import { viaOf } from './chain/queries.ts'
import { findRecords, type Position, type ShownRow } from './find-records.ts'
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
  const position = cursor === undefined ? undefined : (positionIn(keys, await list(), cursor) as Position)
  const rows = await findRecords(tx, filter, position, limit + 1)
  const items = rows.slice(0, limit).map(auditRecordFrom)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? cursorFor(keys, await list(), [last.created_at, last.id]) : null }
}

const filterValues = ({ actorId, action, targetType, targetId, outcome, from, to }: RecordFilter) =>
  [actorId, action, targetType, targetId, outcome, from, to].map((value) => value ?? null)

function auditRecordFrom(row: ShownRow): AuditRecord {
  const { id, action, changes, outcome, ip, user_agent, request_id, created_at } = row
  const isVersion1 = row.v === 1
  const kind = isVersion1 ? null : (row.actor_kind as AuditRecord['actor']['kind'])
  const erased = (isErased: boolean) => isErased && !isVersion1 && { erased: true as const }
  const actor = { id: row.actor_id, kind, name: row.actor_name, email: row.actor_email, ...erased(row.is_actor_erased) }
  const target = { type: row.target_type, id: row.target_id, label: row.target_label, ...erased(row.is_target_erased) }
  const via = isVersion1 ? null : viaOf(row)
  const request = { ip, user_agent, request_id, created_at }
  return { id, action, actor, via, target, changes: shownChanges(changes), outcome, ...request }
}
