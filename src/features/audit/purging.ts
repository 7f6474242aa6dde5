import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { asWorker } from '../../database/tenancy.ts'
import { newId } from '../../lib/ids.ts'
import { type Checkpoint, isSigned, signCheckpoint } from './chain.ts'
import { findCheckpoints, findHead, publicKeysOf, readingCompany } from './heads.ts'
import { BrokenChain, type Sealing } from './sealing.ts'

const RECORDS_AT_ONCE = 1000

/**
 * Removes some of what a company keeps no longer, from the beginning of its chain on, and signs where the chain begins
 * now. False: nothing was left to remove, or somebody else moved the head meanwhile.
 */
export async function purgeCompany({ database, keys }: Sealing, companyId: string): Promise<boolean> {
  const tx = readingCompany(database, companyId)
  const head = await findHead(tx)
  const last = head && (await lastThatIsOver(tx, head))
  if (!head || !last) return false
  if (!isSigned(head, publicKeysOf(keys))) throw new BrokenChain('The end of the chain is not as it was signed')
  if (last.seq === head.seq && last.hash !== head.hash) throw new BrokenChain('The last record is not what was signed')
  const gone = (await findCheckpoints(tx, head, head.begins.seq, last.seq)).at(-1)
  const begins = { ...last, number: gone?.number ?? head.begins.number }
  const { company, number, seq, hash } = head
  const next = signCheckpoint(keys.current, { company, number, seq, hash, begins, time: new Date().toISOString() })

  const { rows } = await sql<{ purged: boolean }>`
    select purge_audit_records(${company}::uuid, ${head.signature}, ${begins.seq}, ${begins.hash}, ${begins.number},
      ${next.time}, ${next.kid}, ${next.signature}, ${newId()}::uuid) as purged`.execute(database.autocommit(asWorker))
  return rows[0]?.purged ?? false
}

/** Up to the first record that is to stay: what was recorded late may stand before what was recorded early. */
async function lastThatIsOver(tx: Tx, { begins }: Checkpoint): Promise<{ seq: number; hash: string } | undefined> {
  const { rows } = await sql<{ seq: number; hash: string; is_over: boolean }>`
    select seq, encode(hash, 'hex') as hash,
      created_at < now() - make_interval(days => (select retention_days from audit_settings)) as is_over
    from audit_records_between(${begins.seq}, ${begins.seq + RECORDS_AT_ONCE}) order by seq`.execute(tx)
  const first = rows.findIndex(({ is_over }) => !is_over)
  const over = first < 0 ? rows : rows.slice(0, first)
  const last = over.at(-1)
  return last && { seq: last.seq, hash: last.hash }
}
