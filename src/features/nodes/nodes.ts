import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'
import { secondsAhead } from '../../lib/clock.ts'
import type { Keys } from '../../lib/keys.ts'

/** A process of the service as it describes itself. */
export interface NodeDescription {
  /** One for each start. */
  id: string
  host: string
  version: string
  keys: Keys
}

/** Says that this node runs, by the database's clock. Resolves to the seconds by which this machine's clock is ahead. */
export async function reportNode(database: Database, { id, host, version, keys }: NodeDescription): Promise<number> {
  const signing_kid = keys.current.kid
  const accepted_kids = keys.accepted.map(({ kid }) => kid)
  return database.write(asWorker, async (tx) => {
    const askedAt = Date.now()
    const { clock } = await tx
      .insertInto('nodes')
      .values({ id, host, version, signing_kid, accepted_kids })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`now()` }))
      .returning(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as('clock'))
      .executeTakeFirstOrThrow()
    const seconds = secondsAhead(clock, askedAt, Date.now())
    await tx
      .insertInto('signing_keys')
      .values({ kid: signing_kid })
      .onConflict((conflict) => conflict.column('kid').doUpdateSet({ last_seen_at: sql`now()` }))
      .execute()
    return seconds
  })
}

/** A node that stops in an orderly way is not waited for. */
export async function reportStopped(database: Database, id: string): Promise<void> {
  await database.write(asWorker, (tx) =>
    tx.updateTable('nodes').set({ stopped_at: sql`now()`, seen_at: sql`now()` }).where('id', '=', id).execute(),
  )
}
