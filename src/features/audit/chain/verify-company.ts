import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { problem } from '../../../problems.ts'
import type { AuditDeps } from '../deps.ts'
import type { AuditVerdict } from '../schemas.ts'
import type { Checkpoint } from './hashing.ts'
import { findHead, isErasedSince, isHeadMissing, openReader, publicKeysOf } from './queries.ts'
import { readBatches } from './read-batches.ts'
import { sealUnlessBroken } from './seal-company.ts'
import { type ChainFault, ChainVerifier } from './verifier.ts'

const ATTEMPTS_MAX = 3

/** Called after each batch: how many records were verified so far, and how many there are. */
export type OnRead = (records: number, total: number) => void

/** Seals what is unsealed, then verifies the whole chain; one run at a time for each company, because it reads everything. */
export function verifyCompany(deps: AuditDeps, companyId: string): Promise<AuditVerdict> {
  return deps.verifying.run(companyId, async () => {
    await sealUnlessBroken(deps, companyId)
    return verifyChain(deps, companyId)
  })
}

/**
 * A purge that deletes records while they are verified looks like tampering, and so does an erasure whose record comes after the head.
 * So a fault counts only when neither has happened meanwhile. Otherwise the verification starts again.
 */
export async function verifyChain(
  deps: AuditDeps,
  companyId: string,
  onRead: OnRead = () => {},
): Promise<AuditVerdict> {
  const tx = openReader(deps.database, companyId)
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const head = await findHead(tx)
    const verdict = head ? await verifyUpTo(tx, deps, head, onRead) : await verifyWithoutHead(tx)
    if (verdict.valid || !(await isOutdated(tx, head, verdict))) return verdict
  }
  throw problem('database_unavailable', {
    retryAfterSeconds: 2,
    cause: new Error('Each attempt met a purge or an erasure'),
  })
}

async function isOutdated(tx: Tx, head: Checkpoint | undefined, { firstInvalid }: AuditVerdict): Promise<boolean> {
  if ((await findHead(tx))?.begins.seq !== head?.begins.seq) return true
  return head !== undefined && firstInvalid?.reason === 'erasure_unrecorded' && isErasedSince(tx, head.seq)
}

async function verifyWithoutHead(tx: Tx): Promise<AuditVerdict> {
  const firstInvalid = (await isHeadMissing(tx)) ? ({ seq: 0, id: null, reason: 'head_removed' } as const) : null
  return { valid: firstInvalid === null, firstInvalid, records: 0, misdated: 0, checkpoint: null }
}

async function verifyUpTo(tx: Tx, deps: AuditDeps, head: Checkpoint, onRead: OnRead): Promise<AuditVerdict> {
  const verifier = new ChainVerifier(head, publicKeysOf(deps.keys))
  let records = 0
  if (!verifier.fault) {
    for await (const batch of readBatches(tx, deps, head)) {
      records += batch.records.length
      onRead(records, head.seq - head.begins.seq)
      verifier.add(batch)
      if (verifier.fault) break
    }
  }
  const broken = verifier.finish() ?? (await findOutside(tx))
  const firstInvalid = broken ?? verifier.firstUnrecordedErasure ?? verifier.firstMisdated ?? null
  const checkpoint = firstInvalid?.reason === 'head_forged' ? null : head
  return { valid: firstInvalid === null, firstInvalid, records, misdated: verifier.misdated, checkpoint }
}

/** Records and checkpoints before the start of the chain or after its end, compared with the head in one statement. */
async function findOutside(tx: Tx): Promise<ChainFault | undefined> {
  const { rows } = await sql<{ seq: number; id: string | null }>`
    select * from (
      (select audit_records.seq, id from audit_heads join audit_records using (company_id)
       where audit_records.seq > audit_heads.seq limit 1)
      union all
      (select audit_records.seq, id from audit_heads join audit_records using (company_id)
       where audit_records.seq <= audit_heads.begins_seq limit 1)
    ) outside`.execute(tx)
  const [record] = rows
  if (record) return { ...record, reason: 'inserted' }
  const { rows: extra } = await sql<{ seq: number }>`
    select audit_checkpoints.seq from audit_heads join audit_checkpoints using (company_id)
    where audit_checkpoints.number > audit_heads.number or audit_checkpoints.number <= audit_heads.begins_number
      or audit_checkpoints.seq > audit_heads.seq
    limit 1`.execute(tx)
  return extra[0] && { seq: extra[0].seq, id: null, reason: 'checkpoint_forged' }
}
