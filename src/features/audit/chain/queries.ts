import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { inCompany } from '../../../database/scopes.ts'
import type { Keys } from '../../../lib/keys.ts'
import type { Checkpoint, PublicKeys } from './hashing.ts'
import type { SealedRecord } from './sealed-record.ts'

/** Reads with the rights of the company and no more; each statement on one of the connections for slow work. */
export const openReader = (database: Database, companyId: string): Tx =>
  database.autocommit({ ...inCompany(companyId, ''), slow: true })

export function publicKeysOf(keys: Keys): PublicKeys {
  return new Map(keys.accepted.map(({ kid, verifying }) => [kid, verifying]))
}

export async function findHead(tx: Tx): Promise<Checkpoint | undefined> {
  const row = await tx.selectFrom('audit_heads').select(checkpointColumns).executeTakeFirst()
  return row && checkpointFrom(row)
}

/** The checkpoints in a part of the chain, without those that a newer head has added. */
export async function findCheckpoints(tx: Tx, head: Checkpoint, after: number, lastSeq: number): Promise<Checkpoint[]> {
  const rows = await tx
    .selectFrom('audit_checkpoints')
    .select(checkpointColumns)
    .where('number', '<=', head.number)
    .where('seq', '>', after)
    .where('seq', '<=', lastSeq)
    .orderBy('number')
    .execute()
  return rows.map(checkpointFrom)
}

export async function findCheckpoint(tx: Tx, number: number): Promise<Checkpoint | undefined> {
  const row = await tx
    .selectFrom('audit_checkpoints')
    .select(checkpointColumns)
    .where('number', '=', number)
    .executeTakeFirst()
  return row && checkpointFrom(row)
}

/** Whether sealed records lost their head. One statement, because between two another process may seal the first records. */
export async function isHeadMissing(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select where not exists (select from audit_heads)
      and exists (select from audit_records where company_id = current_company() and seq is not null)`.execute(tx)
  return rows.length > 0
}

const checkpointColumns = [
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

type CheckpointRow = Record<'company_id' | 'hash' | 'begins_hash' | 'time' | 'kid' | 'signature', string> &
  Record<'number' | 'seq' | 'begins_seq' | 'begins_number', number>

const checkpointFrom = ({ company_id, begins_seq, begins_hash, begins_number, ...row }: CheckpointRow): Checkpoint => ({
  company: company_id,
  number: row.number,
  seq: row.seq,
  hash: row.hash,
  begins: { seq: begins_seq, hash: begins_hash, number: begins_number },
  time: row.time,
  kid: row.kid,
  signature: row.signature,
})

/** A row of `audit_records`; an unsealed one has no `seq` and no `hash`. */
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

/** The columns that the list shows. */
export const shownColumns = `id, created_at, action, outcome, actor_id, actor_name, actor_email,
  target_type, target_id, target_label, changes, ip, user_agent, request_id`

export const recordColumns: RawBuilder<RecordRow> = sql.raw(
  `v, seq, encode(hash, 'hex') as hash, id, created_at, action, outcome, actor_id, actor_name, actor_email,
  target_type, target_id, target_label, changes, ip, user_agent, request_id`,
)

export function recordFrom(row: RecordRow): SealedRecord {
  const { v, seq, hash, id, created_at, action, outcome, changes, ip, user_agent, request_id } = row
  const actor = { id: row.actor_id, name: row.actor_name, email: row.actor_email }
  const target = { type: row.target_type, id: row.target_id, label: row.target_label }
  return {
    seq: seq ?? 0,
    hash: hash ?? '',
    v,
    id,
    created_at,
    action,
    outcome,
    actor,
    target,
    changes,
    ip,
    user_agent,
    request_id,
  }
}
