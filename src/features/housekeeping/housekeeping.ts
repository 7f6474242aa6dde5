import { type RawBuilder, sql } from 'kysely'
import { IDEMPOTENCY_KEY_HOURS } from '../../database/idempotency.ts'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'
import { UNDO_DAYS } from '../accounts/email-change-undos.ts'
import { KNOWN_NETWORK_DAYS } from '../accounts/password-attempts.ts'

const ROWS_AT_ONCE = 1000

/** Which rows of each table have expired, and are needed no more. */
const expired = {
  emails: sql`status <> 'pending' and finished_at < now() - interval '30 days'`,
  one_time_links: sql`expires_at < now() - interval '1 day'`,
  email_change_undos: sql`expires_at < now() - interval '1 day'`,
  // The undo of a change of address still asks which of these links worked at the change.
  factor_change_undos: sql`expires_at < now() - make_interval(days => ${sql.lit(UNDO_DAYS)})`,
  // Of an account with another address, or whose email could not be sent: no other stays for so long.
  factor_resets: sql`due_at < now() - interval '30 days'`,
  // Anyone can ask for one, so none stays longer than it can be answered.
  challenges: sql`expires_at < now()`,
  mailbox_codes: sql`expires_at < now() - interval '1 day'`,
  second_factors: sql`confirmed_at is null and created_at < now() - interval '1 hour'`,
  second_factor_attempts: sql`updated_at < now() - interval '1 day'`,
  password_attempts: sql`window_started_at < now() - interval '1 day' and coalesce(blocked_until <= now(), true)`,
  link_requests: sql`created_at < now() - interval '1 hour'`,
  sent_links: sql`created_at < now() - interval '1 day'`,
  known_networks: sql`last_sign_in_at < now() - make_interval(days => ${sql.lit(KNOWN_NETWORK_DAYS)})`,
  idempotent_requests: sql`created_at < now() - make_interval(hours => ${sql.lit(IDEMPOTENCY_KEY_HOURS)})`,
  request_counts: sql`ends_at <= now()`,
  nodes: sql`seen_at < now() - interval '1 day'`,
  slugs: sql`reserved_until <= now()`,
  sessions: sql`(expires_at < now() - interval '7 days' or revoked_at < now() - interval '7 days')`,
} as const satisfies Record<string, RawBuilder<unknown>>

/** The worker's role has no rights on tables of companies, only on functions that delete what has expired. */
const deletions = {
  audit_records: sql<{ removed: number }>`select delete_old_refusals(${ROWS_AT_ONCE}) as removed`,
  domain_checks: sql<{ removed: number }>`select delete_old_domain_checks(${ROWS_AT_ONCE}) as removed`,
  former_owners: sql<{ removed: number }>`select delete_former_owners(${ROWS_AT_ONCE}) as removed`,
  invitations: sql<{ removed: number }>`select delete_old_invitations(${ROWS_AT_ONCE}) as removed`,
  invitation_links: sql<{ removed: number }>`select delete_old_invitation_links(${ROWS_AT_ONCE}) as removed`,
  join_requests: sql<{ removed: number }>`select delete_declined_requests(${ROWS_AT_ONCE}) as removed`,
} as const

type CleanedTable = keyof typeof expired | keyof typeof deletions
const tables = [...Object.keys(expired), ...Object.keys(deletions)] as CleanedTable[]
/** For one table in one round, so that a round never takes long; the rest is for the next round, which follows at once. */
const BATCHES_MAX = 50

/** As many of a table that more may be left. */
export const DELETED_MAX = ROWS_AT_ONCE * BATCHES_MAX

/**
 * Deletes expired rows in small transactions and returns how many of each table. When one table fails, the others are
 * still cleaned.
 */
export async function deleteExpired(
  database: Database,
  signal: AbortSignal,
  onFailure: (error: Error, table: string) => void,
): Promise<Record<CleanedTable, number>> {
  const deleted = Object.fromEntries(tables.map((table) => [table, 0])) as Record<CleanedTable, number>
  for (const table of tables) {
    try {
      for (let batch = 1; batch <= BATCHES_MAX && !signal.aborted; batch++) {
        const rows = isOfCompanies(table) ? await deleteByFunction(database, table) : await deleteBatch(database, table)
        deleted[table] += rows
        if (rows < ROWS_AT_ONCE) break
      }
    } catch (error) {
      onFailure(error as Error, table)
    }
  }
  return deleted
}

/** The condition is there twice so that a row that is renewed between its selection and its deletion stays. */
async function deleteBatch(database: Database, table: keyof typeof expired): Promise<number> {
  const name = sql.table(table)
  const deletion = sql`delete from ${name}
    where ctid = any(array(select ctid from ${name} where ${expired[table]} limit ${ROWS_AT_ONCE})) and ${expired[table]}`
  const { numAffectedRows } = await database.write(asWorker, (tx) => deletion.execute(tx))
  return Number(numAffectedRows ?? 0)
}

const isOfCompanies = (table: CleanedTable): table is keyof typeof deletions => Object.hasOwn(deletions, table)

async function deleteByFunction(database: Database, table: keyof typeof deletions): Promise<number> {
  const { rows } = await database.write(asWorker, (tx) => deletions[table].execute(tx))
  return rows[0]?.removed ?? 0
}
