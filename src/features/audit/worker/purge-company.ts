import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import type { ChainBatch } from '../chain/batch.ts'
import { type ChainStart, type Checkpoint, signCheckpoint } from '../chain/hashing.ts'
import { findHead, openReader, publicKeysOf } from '../chain/queries.ts'
import { readBatch } from '../chain/read-batches.ts'
import { BrokenChainError } from '../chain/seal-company.ts'
import { ChainVerifier } from '../chain/verifier.ts'
import type { AuditDeps } from '../deps.ts'

/**
 * Deletes a batch of expired records from the start of a company's chain and signs where the chain starts now. What was
 * tampered with is not deleted. False: no expired record is left.
 */
export async function purgeCompany(deps: AuditDeps, companyId: string): Promise<boolean> {
  for (;;) {
    const result = await purgeBatch(deps, companyId)
    if (result !== 'head moved') return result === 'purged'
  }
}

async function purgeBatch(deps: AuditDeps, companyId: string): Promise<'purged' | 'nothing left' | 'head moved'> {
  const tx = openReader(deps.database, companyId)
  const head = await findHead(tx)
  const expired = head && (await findExpired(tx, deps, head))
  if (!head || !expired) return 'nothing left'
  const verifier = new ChainVerifier(head, publicKeysOf(deps.keys))
  verifier.add(expired)
  const isBroken = verifier.fault !== undefined || isOtherEnd(verifier.verified, head)
  // Another purge may have deleted what was about to be read here.
  if (isBroken || expired.records.length === 0) {
    if ((await findHead(tx))?.begins.seq !== head.begins.seq) return 'head moved'
    if (isBroken) throw new BrokenChainError('Expired records are not as they were sealed, so they are not deleted')
    return 'nothing left'
  }
  return (await deleteUpTo(deps, head, verifier.verified)) ? 'purged' : 'head moved'
}

/** Up to the first record that must stay: one that was sealed late may come before expired ones. */
async function findExpired(tx: Tx, deps: AuditDeps, head: Checkpoint): Promise<ChainBatch | undefined> {
  const { rows } = await sql<{ kept_since: string }>`
    select now() - make_interval(days => retention_days) as kept_since from audit_settings
    where retention_days is not null`.execute(tx)
  const keptSince = rows[0]?.kept_since
  if (keptSince === undefined) return undefined
  const batch = await readBatch(tx, deps, head, head.begins.seq)
  const firstKept = batch.records.findIndex(({ created_at }) => created_at >= keptSince)
  const records = firstKept < 0 ? batch.records : batch.records.slice(0, firstKept)
  const lastSeq = records.at(-1)?.seq ?? 0
  return { records, checkpoints: batch.checkpoints.filter(({ seq }) => seq <= lastSeq) }
}

const isOtherEnd = (verified: ChainStart, head: Checkpoint) => verified.seq === head.seq && verified.hash !== head.hash

/** False: the head has moved meanwhile. The database deletes only what the company's settings allow. */
async function deleteUpTo({ database, keys }: AuditDeps, head: Checkpoint, begins: ChainStart): Promise<boolean> {
  const { company, number, seq, hash } = head
  const next = signCheckpoint(keys.current, { company, number, seq, hash, begins, time: new Date().toISOString() })
  const { rows } = await sql<{ purged: boolean }>`
    select purge_audit_records(${company}::uuid, ${head.signature}, ${begins.seq}, ${begins.hash}, ${begins.number},
      ${next.time}, ${next.kid}, ${next.signature}, ${newId()}::uuid) as purged`.execute(database.autocommit(asWorker))
  return rows[0]?.purged ?? false
}
