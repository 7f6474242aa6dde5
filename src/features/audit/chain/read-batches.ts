import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import type { AuditDeps } from '../deps.ts'
import type { RecordFilter } from '../schemas.ts'
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX, type ChainBatch } from './batch.ts'
import type { Checkpoint } from './hashing.ts'
import { findCheckpoints, type RecordRow, recordColumns, recordFrom } from './queries.ts'
import type { SealedRecord } from './sealed-record.ts'

/** With a filter the last record of a batch may be before the end of the batch. */
export interface StoredBatch extends ChainBatch {
  lastSeq: number
}

/**
 * The sealed records up to a head, in the order of the chain. Each batch is read by statements of its own, so that
 * neither memory nor a connection is held while a slow client takes the one before.
 */
export async function* readBatches(
  tx: Tx,
  deps: AuditDeps,
  head: Checkpoint,
  filter: RecordFilter = {},
): AsyncGenerator<StoredBatch> {
  for (let after = head.begins.seq; after < head.seq; ) {
    const batch = await readBatch(tx, deps, head, after, filter)
    yield batch
    after = batch.lastSeq
  }
}

/** One batch after a position in the chain. */
export function readBatch(
  tx: Tx,
  { limitReads }: AuditDeps,
  head: Checkpoint,
  after: number,
  filter: RecordFilter = {},
): Promise<StoredBatch> {
  return limitReads(async () => {
    const lastSeq = await getBatchEnd(tx, after, Math.min(after + BATCH_RECORDS_MAX, head.seq))
    const records = await findRecords(tx, after, lastSeq, filter)
    return { lastSeq, records, checkpoints: await findCheckpoints(tx, head, after, lastSeq) }
  })
}

/** Earlier than `lastSeq` when the records are large. */
async function getBatchEnd(tx: Tx, after: number, lastSeq: number): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select audit_batch_end(${after}, ${lastSeq}, ${BATCH_BYTES_MAX}) as seq`.execute(tx)
  return rows[0]?.seq ?? lastSeq
}

async function findRecords(tx: Tx, after: number, lastSeq: number, filter: RecordFilter): Promise<SealedRecord[]> {
  const { actorId, action, targetType, targetId, outcome } = filter
  const { rows } = await sql<RecordRow>`
    select ${recordColumns} from audit_records_between(${after}, ${lastSeq})
    where (${actorId ?? null}::uuid is null or actor_id = ${actorId ?? null})
      and (${action ?? null}::text is null or action = ${action ?? null})
      and (${targetType ?? null}::text is null or target_type = ${targetType ?? null})
      and (${targetId ?? null}::text is null or target_id = ${targetId ?? null})
      and (${outcome ?? null}::text is null or outcome = ${outcome ?? null})
      and (${filter.from ?? null}::timestamptz is null or created_at >= ${filter.from ?? null})
      and (${filter.to ?? null}::timestamptz is null or created_at <= ${filter.to ?? null})
    order by seq`.execute(tx)
  return rows.map(recordFrom)
}
