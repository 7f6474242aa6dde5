import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { SingleFlight } from '../../../lib/single-flight.ts'
import { problem } from '../../../problems.ts'
import { BrokenChain, isBeheaded, type Sealing, sealCompany } from '../worker/sealing.ts'
import { windowsOf } from './batches.ts'
import type { Checkpoint } from './hashing.ts'
import { findHead, publicKeysOf, readingCompany } from './queries.ts'
import { type Bad, ChainWalk } from './verifier.ts'

export interface Verdict {
  valid: boolean
  firstBad: Bad | null
  /** How many records were looked at. */
  records: number
  /** How many of them have a time that does not fit their place. */
  mistimed: number
  checkpoint: Checkpoint | null
}

const TRIES_MAX = 3
const turns = new SingleFlight<Verdict>()

/** Seals what is open, then goes over the whole chain. It reads all of it, so a company gets one at a time. */
export function verifyCompany(sealing: Sealing, companyId: string): Promise<Verdict> {
  return turns.take(companyId, async () => {
    await sealCompany(sealing, companyId).catch((error: unknown) => {
      if (!(error instanceof BrokenChain)) throw error // What is broken is what we are here to tell.
    })
    return verifyChain(sealing, companyId)
  })
}

/**
 * A purge that removes what is just being looked at is no tampering: then from where the chain begins now. What looks bad
 * while purges go on and on is never told.
 */
export async function verifyChain(sealing: Sealing, companyId: string): Promise<Verdict> {
  const tx = readingCompany(sealing.database, companyId)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const head = await findHead(tx)
    const verdict = await verifyUpTo(tx, head, sealing)
    if (verdict.valid || (await findHead(tx))?.begins.seq === head?.begins.seq) return verdict
  }
  throw problem('database_unavailable', { retryAfterSeconds: 2, cause: new Error('Purged meanwhile, again and again') })
}

async function verifyUpTo(tx: Tx, head: Checkpoint | undefined, { keys }: Sealing): Promise<Verdict> {
  if (!head) {
    const firstBad: Bad | null = (await isBeheaded(tx)) ? { seq: 0, id: null, reason: 'head_removed' } : null
    return { valid: firstBad === null, firstBad, records: 0, mistimed: 0, checkpoint: null }
  }
  const walk = new ChainWalk(head, publicKeysOf(keys))
  let records = 0
  if (!walk.bad) {
    for await (const window of windowsOf(tx, head)) {
      records += window.records.length
      walk.window(window.records, window.checkpoints)
      if (walk.bad) break
    }
  }
  const firstBad = walk.end() ?? (await findBeyond(tx)) ?? walk.firstMistimed ?? null
  const isSignedEnd = firstBad?.reason !== 'head_forged'
  return { valid: firstBad === null, firstBad, records, mistimed: walk.mistimed, checkpoint: isSignedEnd ? head : null }
}

/** What lies outside of the chain, before its beginning or behind its end: asked with the head of the same moment. */
async function findBeyond(tx: Tx): Promise<Bad | undefined> {
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
