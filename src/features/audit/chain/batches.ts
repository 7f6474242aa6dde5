import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import type { Checkpoint, SealedRecord } from './hashing.ts'
import { findCheckpoints, inLane, type RecordRow, recordColumns, recordFrom } from './queries.ts'

/** Which records of a company are meant; absent: all. */
export interface Filter {
  actorId?: string | undefined
  action?: string | undefined
  targetType?: string | undefined
  targetId?: string | undefined
  outcome?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export interface Window {
  /** The place in the chain up to which it goes. */
  to: number
  records: SealedRecord[]
  checkpoints: Checkpoint[]
}

const RECORDS_AT_ONCE = 1000
/** Of changes: the other columns are short. */
const BYTES_AT_ONCE = 1_000_000

/**
 * The sealed records up to a head, in the order of the chain, some at a time: a statement of its own for each window, so
 * that neither memory nor a connection is held while somebody thinks about the one before.
 */
export async function* windowsOf(tx: Tx, head: Checkpoint, filter: Filter = {}): AsyncGenerator<Window> {
  for (let after = head.begins.seq; after < head.seq; ) {
    const window = await findWindow(tx, head, after, filter)
    yield window
    after = window.to
  }
}

/** The records behind a place in the chain, as many as are read at once, and the kept checkpoints among them. */
export function findWindow(tx: Tx, head: Checkpoint, after: number, filter: Filter = {}): Promise<Window> {
  return inLane(async () => {
    const to = await findEnd(tx, after, Math.min(after + RECORDS_AT_ONCE, head.seq))
    const records = await findBetween(tx, after, to, filter)
    return { to, records, checkpoints: await findCheckpoints(tx, head, after, to) }
  })
}

/** Sooner where the records are large. */
async function findEnd(tx: Tx, after: number, to: number): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select audit_batch_end(${after}, ${to}, ${BYTES_AT_ONCE}) as seq`.execute(tx)
  return rows[0]?.seq ?? to
}

async function findBetween(tx: Tx, after: number, to: number, filter: Filter): Promise<SealedRecord[]> {
  const { actorId, action, targetType, targetId, outcome } = filter
  const { rows } = await sql<RecordRow>`
    select ${recordColumns} from audit_records_between(${after}, ${to})
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
