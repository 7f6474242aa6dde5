import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import type { Keys } from '../../../lib/keys.ts'
import { createSemaphore, SingleFlight } from '../../../lib/single-flight.ts'
import { type Checkpoint, firstHash, hashOf, isSigned, type SealedRecord, signCheckpoint } from '../chain/hashing.ts'
import {
  findCheckpoint,
  findHead,
  publicKeysOf,
  type RecordRow,
  readingCompany,
  recordColumns,
  recordFrom,
} from '../chain/queries.ts'
import { TIME_TOLERANCE_MS, timeOf } from '../chain/verifier.ts'

export interface Sealing {
  database: Database
  keys: Keys
  /** Is told of records whose time does not fit. */
  log?: Logger
}

/** The chain can't go on: its end is not what was signed. To seal behind it would be to vouch for it. */
export class BrokenChain extends Error {}

const RECORDS_AT_ONCE = 1000
/** Of changes: the other columns are short. */
const BYTES_AT_ONCE = 1_000_000
/** A checkpoint is kept when the chain has grown by so much since the one before. */
const CHECKPOINT_RECORDS = 1000
const CHECKPOINT_MS = 15 * 60_000
const IDS_MAX = 20

/** Of its own, so that nothing waits for its place in the chain because many are reading. */
const inSealingLane = createSemaphore(1)

const turnsOf = new WeakMap<Database, SingleFlight<number>>()

/**
 * Seals what a company has open, until there is no more or somebody says stop. How many records that were. Whoever asks
 * for the same at once shares the work.
 */
export function sealCompany(sealing: Sealing, companyId: string, signal?: AbortSignal): Promise<number> {
  const turns = turnsOf.get(sealing.database) ?? new SingleFlight()
  turnsOf.set(sealing.database, turns)
  return turns.take(companyId, () => sealAll(sealing, companyId, signal))
}

async function sealAll(sealing: Sealing, companyId: string, signal?: AbortSignal): Promise<number> {
  let sealed = 0
  while (!signal?.aborted) {
    const { isLast, done } = await inSealingLane(() => sealSome(sealing, companyId))
    sealed += done
    if (isLast) break
  }
  return sealed
}

/**
 * Reads and hashes without a lock, then puts everything in its place by one statement that does nothing when the head is
 * no longer the one that was read. So it is right however many do it at once, and whoever dies in the middle has done
 * nothing; writers never wait for it.
 */
async function sealSome(
  { database, keys, log }: Sealing,
  companyId: string,
): Promise<{ isLast: boolean; done: number }> {
  const tx = readingCompany(database, companyId)
  const head = await findHead(tx)
  await assertConsistent(tx, head, keys) // First, so that a broken chain costs little, however much waits behind it.
  const { records, isMore, lastTime } = await findOpen(tx)
  if (records.length === 0) return { isLast: true, done: 0 }
  const start = head ?? { seq: 0, hash: firstHash(companyId), number: 0 }
  const hashes = chained(companyId, start, records)
  const next = await nextHead(tx, keys, companyId, head, start.seq + records.length, hashes.at(-1) as string)

  const ids = records.map(({ id }) => id)
  const { rows } = await sql<{ sealed: boolean }>`
    select seal_audit_records(${companyId}::uuid, ${head?.signature ?? null}, ${ids}::uuid[], ${hashes}::text[],
      ${next.number}, ${next.seq}, ${next.time}, ${next.kid}, ${next.signature}, ${next.begins.hash}) as sealed
  `.execute(database.autocommit(asWorker))
  const isSealed = rows[0]?.sealed ?? false
  if (isSealed && log) warnOfMistimed(log, companyId, records, lastTime)
  return { isLast: isSealed && !isMore, done: isSealed ? records.length : 0 }
}

/** What waits, and the time of the last record that is sealed. */
async function findOpen(tx: Tx): Promise<{ records: SealedRecord[]; isMore: boolean; lastTime: string | null }> {
  const { rows } = await sql<RecordRow & { bytes: number; last_time: string | null }>`
    select ${recordColumns}, sum(octet_length(changes::text)) over () as bytes,
      (select last.created_at from audit_heads, audit_records_between(audit_heads.seq - 1, audit_heads.seq) last) as last_time
    from audit_records_unsealed(${RECORDS_AT_ONCE}, ${BYTES_AT_ONCE})`.execute(tx)
  const isMore = rows.length === RECORDS_AT_ONCE || (rows[0]?.bytes ?? 0) >= BYTES_AT_ONCE
  return { records: rows.map(recordFrom), isMore, lastTime: rows[0]?.last_time ?? null }
}

/** As the verification will find them; it may not be asked for long. */
function warnOfMistimed(log: Logger, company: string, records: SealedRecord[], lastTime: string | null): void {
  const now = Date.now()
  const latest = Math.min(lastTime === null ? Number.NEGATIVE_INFINITY : timeOf(lastTime), now)
  const isMistimed = (time: number) => time < latest - TIME_TOLERANCE_MS || time > now + TIME_TOLERANCE_MS
  const ids = records.filter(({ created_at }) => isMistimed(timeOf(created_at))).map(({ id }) => id)
  if (ids.length > 0)
    log.warn({ company, records: ids.slice(0, IDS_MAX) }, 'audit records have a time that is not theirs')
}

async function assertConsistent(tx: Tx, head: Checkpoint | undefined, keys: Keys): Promise<void> {
  if (head && !isSigned(head, publicKeysOf(keys))) throw new BrokenChain('The end of the chain is not as it was signed')
  if (!head && (await isBeheaded(tx))) throw new BrokenChain('The end of the chain is missing')
}

/** Asked at one moment: between two, another sealer may begin the chain. */
export async function isBeheaded(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select where not exists (select from audit_heads)
      and exists (select from audit_records where company_id = current_company() and seq is not null)`.execute(tx)
  return rows.length > 0
}

function chained(company: string, { seq, hash }: { seq: number; hash: string }, records: SealedRecord[]): string[] {
  let last = hash
  return records.map((record, index) => {
    last = hashOf(company, last, seq + index + 1, record)
    return last
  })
}

async function nextHead(
  tx: Tx,
  keys: Keys,
  company: string,
  head: Checkpoint | undefined,
  seq: number,
  hash: string,
): Promise<Checkpoint> {
  const kept = head && (await findCheckpoint(tx, head.number))
  const now = new Date()
  const isTime = !kept || seq - kept.seq >= CHECKPOINT_RECORDS || now.getTime() - Date.parse(kept.time) >= CHECKPOINT_MS
  const begins = head?.begins ?? { seq: 0, hash: firstHash(company), number: 0 }
  const number = (head?.number ?? 0) + (isTime ? 1 : 0)
  return signCheckpoint(keys.current, { company, number, seq, hash, begins, time: now.toISOString() })
}
