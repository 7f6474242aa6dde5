import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import type { Keys } from '../../../lib/keys.ts'
import type { AuditDeps } from '../deps.ts'
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX } from './batch.ts'
import { newSalts } from './commitments.ts'
import { type Checkpoint, firstHash, isSignatureValid, recordHash, signCheckpoint } from './hashing.ts'
import {
  findCheckpoint,
  findHead,
  isHeadMissing,
  openReader,
  publicKeysOf,
  type RecordRow,
  recordColumns,
  recordFrom,
} from './queries.ts'
import { type PersonalPart, RECORD_VERSION, type SealedRecord } from './sealed-record.ts'
import { TIME_TOLERANCE_MS, timeOf } from './verifier.ts'

/** The end of a chain is not what was signed. A new signature over what follows would vouch for it, so nothing is sealed. */
export class BrokenChainError extends Error {}

/** A head is kept as a checkpoint when the chain has grown by so many records, or for so long, since the last one. */
const CHECKPOINT_RECORDS = 1000
const CHECKPOINT_MS = 15 * 60_000
const LOGGED_IDS_MAX = 20

/**
 * Seals the company's unsealed records and returns how many, until none is left or the signal aborts. Calls for the same
 * company share the work. A node whose secret is not the one of the service seals nothing. See docs/decisions/0011-audit-chain.md.
 */
export function sealCompany(deps: AuditDeps, companyId: string, signal?: AbortSignal): Promise<number> {
  return deps.sealing.run(companyId, async () => {
    let sealed = 0
    while (deps.keyUse.maySeal && !signal?.aborted) {
      const { isLast, count } = await deps.limitSealing(() => sealBatch(deps, companyId))
      sealed += count
      if (isLast) break
    }
    return sealed
  })
}

/** For those who report on the chain: a broken one is theirs to tell. */
export async function sealUnlessBroken(deps: AuditDeps, companyId: string): Promise<void> {
  await sealCompany(deps, companyId).catch((error: unknown) => {
    if (!(error instanceof BrokenChainError)) throw error
  })
}

/**
 * Reads and hashes without a lock. One statement then adds the batch to the chain if the head is still the one that was
 * read, and does nothing otherwise. So any number of processes may seal at once, one that dies leaves nothing half done,
 * and writers never wait.
 */
async function sealBatch(deps: AuditDeps, companyId: string): Promise<{ isLast: boolean; count: number }> {
  const since = performance.now()
  const tx = openReader(deps.database, companyId)
  const head = await findHead(tx)
  await assertIntact(tx, head, deps.keys) // First, so that a broken chain costs little, however much waits behind it.
  const { records, isMore, lastTime } = await findUnsealed(tx)
  if (records.length === 0) return { isLast: true, count: 0 }

  const start = head ?? { seq: 0, hash: firstHash(companyId) }
  const hashes = chainHashes(companyId, start, records)
  const end = { seq: start.seq + records.length, hash: hashes.at(-1) as string }
  const next = await nextHead(tx, deps.keys, companyId, head, end)
  const isSealed = await addToChain(deps, head, next, records, hashes)
  if (isSealed) {
    deps.sealed.records += records.length
    deps.sealed.times.observe((performance.now() - since) / 1000)
    warnOfMisdated(deps, companyId, records, lastTime)
  }
  return { isLast: isSealed && !isMore, count: isSealed ? records.length : 0 }
}

async function assertIntact(tx: Tx, head: Checkpoint | undefined, keys: Keys): Promise<void> {
  if (head && !isSignatureValid(head, publicKeysOf(keys)))
    throw new BrokenChainError('The signature of the head is not valid')
  if (!head && (await isHeadMissing(tx))) throw new BrokenChainError('The head is missing')
}

/** A batch of unsealed records, and the time of the last sealed one. */
async function findUnsealed(tx: Tx): Promise<{ records: SealedRecord[]; isMore: boolean; lastTime: string | null }> {
  const { rows } = await sql<RecordRow & { bytes: number; last_time: string | null }>`
    select ${recordColumns}, sum(octet_length(changes::text)) over () as bytes,
      (select last.created_at from audit_heads, audit_records_between(audit_heads.seq - 1, audit_heads.seq) last) as last_time
    from audit_records_unsealed(${BATCH_RECORDS_MAX}, ${BATCH_BYTES_MAX})`.execute(tx)
  const isFull = rows.length === BATCH_RECORDS_MAX || (rows[0]?.bytes ?? 0) >= BATCH_BYTES_MAX
  const known = beforeUnknown(rows)
  return { records: known.map(asSealed), isMore: isFull && known === rows, lastTime: rows[0]?.last_time ?? null }
}

/** A record that a newer version wrote beside this one, and what follows it, is left to the sealer of that version. */
function beforeUnknown<Row extends RecordRow>(rows: Row[]): Row[] {
  const first = rows.findIndex(({ v }) => v > RECORD_VERSION)
  return first === -1 ? rows : rows.slice(0, first)
}

/** In the newest form, also what a node of the version before has written beside this one. */
function asSealed(row: RecordRow): SealedRecord {
  const { actor, target } = newSalts()
  return recordFrom({ ...row, v: RECORD_VERSION, actor_salt: actor, target_salt: target })
}

function chainHashes(company: string, start: Pick<Checkpoint, 'seq' | 'hash'>, records: SealedRecord[]): string[] {
  let last = start.hash
  return records.map((record, index) => {
    last = recordHash(company, last, start.seq + index + 1, record)
    return last
  })
}

async function nextHead(
  tx: Tx,
  keys: Keys,
  company: string,
  head: Checkpoint | undefined,
  end: Pick<Checkpoint, 'seq' | 'hash'>,
): Promise<Checkpoint> {
  const last = head && (await findCheckpoint(tx, head.number))
  const now = new Date()
  const isKept =
    !last || end.seq - last.seq >= CHECKPOINT_RECORDS || now.getTime() - Date.parse(last.time) >= CHECKPOINT_MS
  const begins = head?.begins ?? { seq: 0, hash: firstHash(company), number: 0 }
  const number = (head?.number ?? 0) + (isKept ? 1 : 0)
  return signCheckpoint(keys.current, { company, number, ...end, begins, time: now.toISOString() })
}

/** False: another process has moved the head meanwhile. */
async function addToChain(
  { database }: AuditDeps,
  head: Checkpoint | undefined,
  next: Checkpoint,
  records: SealedRecord[],
  hashes: string[],
): Promise<boolean> {
  const ids = records.map(({ id }) => id)
  const { rows } = await sql<{ sealed: boolean }>`
    select seal_audit_records(${next.company}::uuid, ${head?.signature ?? null}, ${ids}::uuid[], ${hashes}::text[],
      ${next.number}, ${next.seq}, ${next.time}, ${next.kid}, ${next.signature}, ${next.begins.hash},
      ${records.map(({ personal }) => saltOf(personal?.actor))}::text[],
      ${records.map(({ personal }) => saltOf(personal?.target))}::text[]) as sealed
  `.execute(database.autocommit(asWorker))
  return rows[0]?.sealed ?? false
}

const saltOf = (part: PersonalPart | undefined) => (part && 'salt' in part ? part.salt : null)

/** The verification will find them, too, but it may not be asked for a long time. */
function warnOfMisdated({ log }: AuditDeps, company: string, records: SealedRecord[], lastTime: string | null): void {
  const now = Date.now()
  const latest = Math.min(lastTime === null ? Number.NEGATIVE_INFINITY : timeOf(lastTime), now)
  const isMisdated = (time: number) => time < latest - TIME_TOLERANCE_MS || time > now + TIME_TOLERANCE_MS
  const ids = records.filter(({ created_at }) => isMisdated(timeOf(created_at))).map(({ id }) => id)
  if (ids.length > 0) log.warn({ company, records: ids.slice(0, LOGGED_IDS_MAX) }, 'audit records have a false time')
}
