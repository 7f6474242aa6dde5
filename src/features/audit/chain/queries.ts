import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { inCompany } from '../../../database/scopes.ts'
import type { Keys } from '../../../lib/keys.ts'
import { partFrom } from './commitments.ts'
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

/**
 * Whether an erasure was recorded after this position. The record is sealed before anything is erased, so a reader who meets an erased
 * part finds it here, also where the head that is read to does not cover it.
 */
export async function isErasedSince(tx: Tx, seq: number): Promise<boolean> {
  const erasure = await tx
    .selectFrom('audit_records')
    .select('id')
    .where(sql<boolean>`company_id = current_company()`)
    .where('seq', '>', seq)
    .where('action', '=', 'audit.erase')
    .limit(sql.lit(1))
    .executeTakeFirst()
  return erasure !== undefined
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
export type RecordRow = Pick<
  SealedRecord,
  'v' | 'id' | 'created_at' | 'action' | 'outcome' | 'changes' | 'ip' | 'user_agent' | 'request_id'
> & {
  seq: number | null
  hash: string | null
  actor_id: string | null
  actor_kind: string | null
  actor_name: string
  actor_email: string
  via_type: string | null
  via_id: string | null
  target_type: string
  target_id: string
  target_label: string
} & Record<'actor_salt' | 'target_salt' | 'actor_commitment' | 'target_commitment', string | null>

/** The columns that the list shows. */
export const shownColumns = `v, id, created_at, action, outcome, actor_id, actor_kind, actor_name, actor_email,
  via_type, via_id, target_type, target_id, target_label, changes, ip, user_agent, request_id,
  actor_commitment is not null as is_actor_erased, target_commitment is not null as is_target_erased`

export const recordColumns: RawBuilder<RecordRow> = sql.raw(
  `v, seq, encode(hash, 'hex') as hash, id, created_at, action, outcome, actor_id, actor_kind, actor_name, actor_email,
  via_type, via_id, target_type, target_id, target_label, changes, ip, user_agent, request_id,
  encode(actor_salt, 'hex') as actor_salt, encode(target_salt, 'hex') as target_salt,
  encode(actor_commitment, 'hex') as actor_commitment, encode(target_commitment, 'hex') as target_commitment`,
)

/** With the fields in the order of an exported line. */
export function recordFrom(row: RecordRow): SealedRecord {
  const { v, id, created_at, action, outcome, changes, ip, user_agent, request_id } = row
  const place = { seq: row.seq ?? 0, hash: row.hash ?? '' }
  const person = { name: row.actor_name, email: row.actor_email }
  const target = { type: row.target_type, id: row.target_id, label: row.target_label }
  const contents = { changes, ip, user_agent, request_id }
  if (v === 1)
    return { ...place, v, id, created_at, action, outcome, actor: { id: row.actor_id, ...person }, target, ...contents }
  const actor = { id: row.actor_id, kind: row.actor_kind, ...person }
  const personal = {
    actor: partFrom(row.actor_salt, row.actor_commitment),
    target: partFrom(row.target_salt, row.target_commitment),
  }
  return { ...place, v, id, created_at, action, outcome, actor, via: viaOf(row), target, ...contents, personal }
}

export function viaOf({
  via_type,
  via_id,
}: Pick<RecordRow, 'via_type' | 'via_id'>): { type: string; id: string } | null {
  return via_type === null && via_id === null ? null : { type: via_type ?? '', id: via_id ?? '' }
}
