import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'

/** What is over, and has been long enough that nobody asks for it any more. */
const over = {
  emails: sql`status <> 'pending' and finished_at < now() - interval '30 days'`,
  one_time_links: sql`expires_at < now() - interval '1 day'`,
  sign_in_attempts: sql`window_started_at < now() - interval '1 day' and coalesce(blocked_until <= now(), true)`,
  password_reset_requests: sql`created_at < now() - interval '1 hour'`,
  sent_password_resets: sql`created_at < now() - interval '1 day'`,
  known_networks: sql`last_sign_in_at < now() - interval '30 days'`,
  idempotent_requests: sql`created_at < now() - interval '24 hours'`,
  slugs: sql`reserved_until <= now()`,
  sessions: sql`(expires_at < now() - interval '7 days' or revoked_at < now() - interval '7 days')`,
} as const satisfies Record<string, RawBuilder<unknown>>

type KeptTable = keyof typeof over | 'audit_records'
const tables = [...Object.keys(over), 'audit_records'] as KeptTable[]
const ROWS_AT_ONCE = 1000
/** What is left after so many waits for the next round, so that a round never takes long. */
const BATCHES_MAX = 50

/** Removes what is over, in small transactions; returns how many rows of each table. A table that fails keeps back no other. */
export async function deleteExpired(
  database: Database,
  signal: AbortSignal,
  onFailure: (error: Error, table: string) => void,
): Promise<Record<KeptTable, number>> {
  const removed = Object.fromEntries(tables.map((table) => [table, 0])) as Record<KeptTable, number>
  for (const table of tables) {
    try {
      for (let batch = 1; batch <= BATCHES_MAX && !signal.aborted; batch++) {
        const rows = table === 'audit_records' ? await removeAttempts(database) : await removeSome(database, table)
        removed[table] += rows
        if (rows < ROWS_AT_ONCE) break
      }
    } catch (error) {
      onFailure(error as Error, table)
    }
  }
  return removed
}

/** The condition stands twice: a row that somebody renews between its choice and its removal stays. */
async function removeSome(database: Database, table: keyof typeof over): Promise<number> {
  const name = sql.table(table)
  const removal = sql`delete from ${name}
    where ctid = any(array(select ctid from ${name} where ${over[table]} limit ${ROWS_AT_ONCE})) and ${over[table]}`
  const { numAffectedRows } = await database.write(asWorker, (tx) => removal.execute(tx))
  return Number(numAffectedRows ?? 0)
}

/** Refused attempts that belong to no company. The worker may touch no audit record but by this function. */
async function removeAttempts(database: Database): Promise<number> {
  const removal = sql<{ removed: number }>`select delete_old_attempts(${ROWS_AT_ONCE}) as removed`
  const { rows } = await database.write(asWorker, (tx) => removal.execute(tx))
  return rows[0]?.removed ?? 0
}
