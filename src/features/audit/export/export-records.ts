import type { CompanyActor } from '../../../access/actors.ts'
import { stillHasAccess } from '../../../access/sessions.ts'
import type { Tx } from '../../../database/open.ts'
import type { Download } from '../../../http/downloads.ts'
import { problem } from '../../../problems.ts'
import { type Filter, type Window, windowsOf } from '../chain/batches.ts'
import type { Checkpoint, SealedRecord } from '../chain/hashing.ts'
import { findHead, readingCompany } from '../chain/queries.ts'
import { type Changes, record } from '../records.ts'
import { BrokenChain, type Sealing, sealCompany } from '../worker/sealing.ts'
import { csvHead, csvLineOf } from './csv.ts'
import { takePlace } from './export-slots.ts'

export interface AuditExport extends Filter {
  format: 'ndjson' | 'csv'
}

type Windows = AsyncIterable<Window>

const types = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' }

/** All sealed records in the order of the chain, for a few readers at a time. */
export async function exportRecords(
  tx: Tx,
  sealing: Sealing,
  actor: CompanyActor,
  wanted: AuditExport,
): Promise<Download> {
  const leave = takePlace(actor.accountId)
  try {
    return { ...(await openExport(tx, sealing, actor, wanted)), ended: leave }
  } catch (error) {
    leave()
    throw error
  }
}

/** That somebody takes the records out is on record before the first leaves. */
async function openExport(tx: Tx, sealing: Sealing, actor: CompanyActor, { format, ...filter }: AuditExport) {
  await record(
    tx,
    actor,
    'audit.export',
    { type: 'company', id: actor.companyId, label: '' },
    changesOf(format, filter),
  )
  await sealCompany(sealing, actor.companyId).catch((error: unknown) => {
    if (!(error instanceof BrokenChain)) throw error // What is broken is exported as it is, for the verifier to name.
  })
  const reading = readingCompany(sealing.database, actor.companyId)
  const head = await findHead(reading)
  const windows = head ? permitted(sealing, actor, unpurged(reading, head, filter)) : nothing()
  const time = new Date().toISOString().slice(0, 19).replace(/[:-]/g, '')
  const pieces = format === 'csv' ? csvPieces(windows) : ndjsonPieces(windows, head, filter)
  return { type: types[format], filename: `audit-${time}Z.${format}`, pieces }
}

function changesOf(format: string, filter: Filter): Changes {
  const given = Object.entries({ format, ...filter }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, { to: value }]))
}

/** A purge removes records that were still to come: what is left would look like tampering. */
async function* unpurged(tx: Tx, head: Checkpoint, filter: Filter): Windows {
  for await (const window of windowsOf(tx, head, filter)) {
    const now = await findHead(tx)
    if (now?.begins.seq !== head.begins.seq)
      throw problem('database_unavailable', { cause: new Error('Purged meanwhile') })
    yield window
  }
}

/** Whoever may no longer read is sent no more, however long ago the reading began. */
async function* permitted({ database }: Sealing, actor: CompanyActor, windows: Windows): Windows {
  for await (const window of windows) {
    if (!(await stillHasAccess(database, actor, 'audit:read')))
      throw problem('permission_missing', { required: 'audit:read' })
    yield window
  }
}

async function* nothing(): Windows {}

async function* csvPieces(windows: Windows): AsyncGenerator<string> {
  yield csvHead()
  for await (const { records } of windows) yield* inPieces(records, csvLineOf)
}

/**
 * For the offline verifier: the signed end first, so that a file that breaks off is known to lack something, then the
 * records with the kept checkpoints behind those that they are about.
 */
async function* ndjsonPieces(windows: Windows, head: Checkpoint | undefined, filter: Filter): AsyncGenerator<string> {
  const isWhole = Object.values(filter).every((value) => value === undefined)
  if (!isWhole) yield line({ filter })
  else if (head) yield line({ checkpoint: head })
  for await (const { records, checkpoints } of windows) {
    const kept = new Map(checkpoints.map((checkpoint) => [checkpoint.seq, checkpoint]))
    yield* inPieces(records, (item) => {
      const checkpoint = isWhole && kept.get(item.seq)
      return checkpoint ? line(item) + line({ checkpoint }) : line(item)
    })
  }
}

const PIECE_LENGTH = 65_536

/** A client that takes its time has no more waiting for it than one piece. */
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

const line = (value: object) => `${JSON.stringify(value)}\n`
