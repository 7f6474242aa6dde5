import type { CompanyActor } from '../../../access/actors.ts'
import { stillHasAccess } from '../../../access/sessions.ts'
import type { Tx } from '../../../database/open.ts'
import type { Download } from '../../../http/downloads.ts'
import { isUuid } from '../../../lib/ids.ts'
import { problem } from '../../../problems.ts'
import type { ChainBatch } from '../chain/batch.ts'
import type { Checkpoint } from '../chain/hashing.ts'
import { findHead, isErasedSince, openReader } from '../chain/queries.ts'
import { readBatches } from '../chain/read-batches.ts'
import { sealUnlessBroken } from '../chain/seal-company.ts'
import type { SealedRecord } from '../chain/sealed-record.ts'
import type { AuditDeps } from '../deps.ts'
import { type Changes, record } from '../records.ts'
import type { ExportQuery, RecordFilter } from '../schemas.ts'
import { csvHead, csvLineOf } from './csv.ts'
import { ndjsonLine } from './ndjson.ts'

type Batches = AsyncIterable<ChainBatch>

const types = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' }

/**
 * All sealed records in the order of the chain. Each step is a generator that asks the one before for a batch only when
 * the client has taken what there was, so an export of any length needs the memory of one batch; why it may be cut off in
 * the middle is in docs/decisions/0011-audit-chain.md.
 */
export async function exportRecords(
  tx: Tx,
  deps: AuditDeps,
  actor: CompanyActor,
  query: ExportQuery,
): Promise<Download> {
  const freeSlot = deps.exportSlots.take(actor.accountId)
  try {
    return { ...(await openExport(tx, deps, actor, query)), onEnd: freeSlot }
  } catch (error) {
    freeSlot()
    throw error
  }
}

/** The export is recorded before its first record leaves. */
async function openExport(tx: Tx, deps: AuditDeps, actor: CompanyActor, { format, ...filter }: ExportQuery) {
  const company = { type: 'company', id: actor.companyId, label: '' } as const
  await record(tx, actor, 'audit.export', company, changesOf({ format, ...filter }))
  await sealUnlessBroken(deps, actor.companyId)
  const reader = openReader(deps.database, actor.companyId)
  const head = await findHead(reader)
  const batches = head ? whileAllowed(deps, actor, whileWhole(reader, deps, head, filter)) : noBatches()
  const time = new Date().toISOString().slice(0, 19).replace(/[:-]/g, '')
  const chunks = format === 'csv' ? csvPieces(batches) : ndjsonPieces(batches, head, filter)
  return { type: types[format], filename: `audit-${time}Z.${format}`, chunks }
}

/** What is no id selects nothing, and may be anything, such as an address, which no erasure would find here. */
function changesOf({ targetId, ...query }: ExportQuery): Changes {
  const shownId = targetId && (isUuid(targetId) ? targetId : 'no ID')
  const given = Object.entries({ ...query, targetId: shownId }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, { to: value }]))
}

/**
 * A purge deletes records that were still to come, and an erasure takes people out of them, whose record comes after the end of the
 * export: both would look like tampering, so it is cut off.
 */
async function* whileWhole(tx: Tx, deps: AuditDeps, head: Checkpoint, filter: RecordFilter): Batches {
  for await (const batch of readBatches(tx, deps, head, filter)) {
    const [now, isErased] = await Promise.all([findHead(tx), isErasedSince(tx, head.seq)])
    if (now?.begins.seq !== head.begins.seq || isErased)
      throw problem('database_unavailable', { cause: new Error('Purged or erased meanwhile') })
    yield batch
  }
}

/** A reader who loses the session, the membership or the permission gets no more batches. */
async function* whileAllowed({ database }: AuditDeps, actor: CompanyActor, batches: Batches): Batches {
  for await (const batch of batches) {
    if (!(await stillHasAccess(database, actor, 'audit:read')))
      throw problem('permission_missing', { required: 'audit:read' })
    yield batch
  }
}

async function* noBatches(): Batches {}

async function* csvPieces(batches: Batches): AsyncGenerator<string> {
  yield csvHead()
  for await (const { records } of batches) yield* inPieces(records, csvLineOf)
}

/**
 * For the offline verifier: the head comes first, so that a file that was cut off is known to be incomplete, and each
 * checkpoint comes after the record that it signs.
 */
async function* ndjsonPieces(
  batches: Batches,
  head: Checkpoint | undefined,
  filter: RecordFilter,
): AsyncGenerator<string> {
  const isComplete = Object.values(filter).every((value) => value === undefined)
  if (!isComplete) yield ndjsonLine({ filter })
  else if (head) yield ndjsonLine({ checkpoint: head })
  for await (const { records, checkpoints } of batches) {
    const bySeq = new Map(checkpoints.map((checkpoint) => [checkpoint.seq, checkpoint]))
    yield* inPieces(records, (item) => {
      const checkpoint = isComplete && bySeq.get(item.seq)
      return checkpoint ? ndjsonLine(item) + ndjsonLine({ checkpoint }) : ndjsonLine(item)
    })
  }
}

const PIECE_LENGTH = 65_536

/** No more than one piece waits in memory for a slow client. */
function* inPieces(records: SealedRecord[], write: (record: SealedRecord) => string): Generator<string> {
  let piece = ''
  for (const item of records) {
    piece += write(item)
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
