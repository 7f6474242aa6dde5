import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { inCompany } from '../../../database/scopes.ts'
import type { Keys } from '../../../lib/keys.ts'
import { createSemaphore } from '../../../lib/single-flight.ts'
import type { Checkpoint, PublicKeys, SealedRecord } from './hashing.ts'

/** Reads the records of one company, with no more rights than the company has; long, so it holds up nobody's requests. */
export const readingCompany = (database: Database, companyId: string): Tx =>
  database.autocommit({ ...inCompany(companyId, ''), slow: true })

/** Long reading takes no more of a process's connections than leaves enough for requests, and for the sealer. */
export const inLane = createSemaphore(3)

export function publicKeysOf(keys: Keys): PublicKeys {
  return new Map(keys.accepted.map(({ kid, verifying }) => [kid, verifying]))
}

export async function findHead(tx: Tx): Promise<Checkpoint | undefined> {
  const row = await tx.selectFrom('audit_heads').select(columns).executeTakeFirst()
  return row && checkpointFrom(row)
}

/** The kept checkpoints from one place to another in the chain, of those that the head counts. */
export async function findCheckpoints(
  tx: Tx,
  head: Checkpoint,
  afterSeq: number,
  toSeq: number,
): Promise<Checkpoint[]> {
  const rows = await tx
    .selectFrom('audit_checkpoints')
    .select(columns)
    .where('number', '<=', head.number)
    .where('seq', '>', afterSeq)
    .where('seq', '<=', toSeq)
    .orderBy('number')
    .execute()
  return rows.map(checkpointFrom)
}

export async function findCheckpoint(tx: Tx, number: number): Promise<Checkpoint | undefined> {
  const row = await tx.selectFrom('audit_checkpoints').select(columns).where('number', '=', number).executeTakeFirst()
  return row && checkpointFrom(row)
}

const columns = [
  'company_id',
  'number',
  'seq',
  'hash',
  'begins_seq',
  'begins_hash',
  'begins_number',
  'time',
  'kid',
  'signature',
] as const

type Row = Record<'company_id' | 'hash' | 'begins_hash' | 'time' | 'kid' | 'signature', string> &
  Record<'number' | 'seq' | 'begins_seq' | 'begins_number', number>

const checkpointFrom = ({ company_id, begins_seq, begins_hash, begins_number, ...row }: Row): Checkpoint => ({
  company: company_id,
  number: row.number,
  seq: row.seq,
  hash: row.hash,
  begins: { seq: begins_seq, hash: begins_hash, number: begins_number },
  time: row.time,
  kid: row.kid,
  signature: row.signature,
})

/** A record as its row has it, whether it is sealed or not. */
export type RecordRow = Omit<SealedRecord, 'seq' | 'hash' | 'actor' | 'target'> & {
  seq: number | null
  hash: string | null
  actor_id: string | null
  actor_name: string
  actor_email: string
  target_type: string
  target_id: string
  target_label: string
}

export const recordColumns: RawBuilder<RecordRow> = sql.raw(
  `seq, encode(hash, 'hex') as hash, id, created_at, action, outcome, actor_id, actor_name, actor_email,
  target_type, target_id, target_label, changes, ip, user_agent, request_id`,
)

export function recordFrom(row: RecordRow): SealedRecord {
  const { seq, hash, id, created_at, action, outcome, changes, ip, user_agent, request_id } = row
  const actor = { id: row.actor_id, name: row.actor_name, email: row.actor_email }
  const target = { type: row.target_type, id: row.target_id, label: row.target_label }
  const place = { seq: seq ?? 0, hash: hash ?? '' }
  return { ...place, id, created_at, action, outcome, actor, target, changes, ip, user_agent, request_id }
}
