import { sql } from 'kysely'
import { SLOW_STATEMENT_MS, STATEMENT_MS } from '../../database/connection-settings.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'

/** What an account has become a member of since a moment, locked. */
export interface JoinedCompanies {
  since: string
  ids: string[]
}

/** Before the account is locked, in a slow transaction. It acts for the account afterwards. */
export async function lockJoinedCompanies(tx: Tx, accountId: string, since: string): Promise<JoinedCompanies> {
  const limitStatements = (ms: number) => sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(tx)
  // The companies wait for it, each for the lock of the next: no longer than for any other request.
  const [, , { rows }] = await Promise.all([
    enterAccount(tx, accountId),
    limitStatements(STATEMENT_MS),
    sql<{ id: string }>`select id from lock_joined_companies(${since}) as id`.execute(tx),
    limitStatements(SLOW_STATEMENT_MS),
  ])
  return { since, ids: rows.map(({ id }) => id) }
}

/**
 * Who reads an address has joined companies by it, or was added by it. When it is taken from the account again, the account stays a
 * member, and gets in only when the companies have looked at it: they may mean another person. Where no other member is an owner nothing
 * changes. Under the account's lock, while it still has the address.
 */
export async function deactivateInJoinedCompanies(
  tx: Tx,
  { since, ids }: JoinedCompanies,
  requestId: string,
): Promise<void> {
  const recordIds = ids.map(() => newId())
  await sql`select deactivate_joined_members(${since}, ${ids}::uuid[], ${recordIds}::uuid[], ${requestId})`.execute(tx)
}
