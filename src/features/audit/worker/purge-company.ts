import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import { findWindow, type Window } from '../chain/batches.ts'
import { type Beginning, type Checkpoint, signCheckpoint } from '../chain/hashing.ts'
import { findHead, publicKeysOf, readingCompany } from '../chain/queries.ts'
import { ChainWalk } from '../chain/verifier.ts'
import { BrokenChain, type Sealing } from './sealing.ts'

/**
 * Removes some of what a company keeps no longer, from the beginning of its chain on, and signs where the chain begins
 * now. False: nothing is left to remove.
 */
export async function purgeCompany(sealing: Sealing, companyId: string): Promise<boolean> {
  for (;;) {
    const outcome = await purgeSome(sealing, companyId)
    if (outcome !== 'head moved') return outcome === 'purged'
  }
}

async function purgeSome(sealing: Sealing, companyId: string): Promise<'purged' | 'nothing left' | 'head moved'> {
  const tx = readingCompany(sealing.database, companyId)
  const head = await findHead(tx)
  const over = head && (await findOver(tx, head))
  if (!head || !over) return 'nothing left'
  const walk = new ChainWalk(head, publicKeysOf(sealing.keys))
  walk.window(over.records, over.checkpoints)
  const isBroken = walk.bad ?? isOtherEnd(walk.reached, head)
  // Another purge may have removed what was about to be read here.
  if (isBroken || over.records.length === 0) {
    if ((await findHead(tx))?.begins.seq !== head.begins.seq) return 'head moved'
    if (isBroken) throw new BrokenChain('What is over is not as it was sealed, so it is not removed')
    return 'nothing left'
  }
  return (await removeUpTo(sealing, head, walk.reached)) ? 'purged' : 'head moved'
}

/** Up to the first record that is to stay: what was recorded late may stand before what was recorded early. */
async function findOver(tx: Tx, head: Checkpoint): Promise<Omit<Window, 'to'> | undefined> {
  const { rows } = await sql<{ kept_since: string }>`
    select now() - make_interval(days => retention_days) as kept_since from audit_settings
    where retention_days is not null`.execute(tx)
  const keptSince = rows[0]?.kept_since
  if (keptSince === undefined) return undefined
  const window = await findWindow(tx, head, head.begins.seq)
  const stays = window.records.findIndex(({ created_at }) => created_at >= keptSince)
  const records = stays < 0 ? window.records : window.records.slice(0, stays)
  const lastSeq = records.at(-1)?.seq ?? 0
  return { records, checkpoints: window.checkpoints.filter(({ seq }) => seq <= lastSeq) }
}

const isOtherEnd = (reached: Beginning, head: Checkpoint) => reached.seq === head.seq && reached.hash !== head.hash

async function removeUpTo({ database, keys }: Sealing, head: Checkpoint, begins: Beginning): Promise<boolean> {
  const { company, number, seq, hash } = head
  const next = signCheckpoint(keys.current, { company, number, seq, hash, begins, time: new Date().toISOString() })
  const { rows } = await sql<{ purged: boolean }>`
    select purge_audit_records(${company}::uuid, ${head.signature}, ${begins.seq}, ${begins.hash}, ${begins.number},
      ${next.time}, ${next.kid}, ${next.signature}, ${newId()}::uuid) as purged`.execute(database.autocommit(asWorker))
  return rows[0]?.purged ?? false
}
