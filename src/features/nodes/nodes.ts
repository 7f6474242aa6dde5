import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'
import type { Keys } from '../../lib/keys.ts'

/** A process of the service as it describes itself. */
export interface NodeDescription {
  /** One for each start. */
  id: string
  host: string
  version: string
  keys: Keys
}

/** Says that this node runs, by the database's clock. */
export async function reportNode(database: Database, { id, host, version, keys }: NodeDescription): Promise<void> {
  const signing_kid = keys.current.kid
  const accepted_kids = keys.accepted.map(({ kid }) => kid)
  await database.write(asWorker, async (tx) => {
    await tx
      .insertInto('nodes')
      .values({ id, host, version, signing_kid, accepted_kids })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`now()` }))
      .execute()
    await tx
      .insertInto('signing_keys')
      .values({ kid: signing_kid })
      .onConflict((conflict) => conflict.column('kid').doUpdateSet({ last_seen_at: sql`now()` }))
      .execute()
  })
}

/** A node that stops in an orderly way is not waited for. */
export async function reportStopped(database: Database, id: string): Promise<void> {
  await database.write(asWorker, (tx) =>
    tx.updateTable('nodes').set({ stopped_at: sql`now()`, seen_at: sql`now()` }).where('id', '=', id).execute(),
  )
}
