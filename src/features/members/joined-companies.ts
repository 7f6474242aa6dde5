import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { enterAccount } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'

/** What an account has become a member of since a moment, locked. */
export interface JoinedCompanies {
  since: string
  ids: string[]
}

/** Before the account is locked. The transaction acts for the account afterwards. */
export async function lockJoinedCompanies(tx: Tx, accountId: string, since: string): Promise<JoinedCompanies> {
  await enterAccount(tx, accountId)
  const { rows } = await sql<{ id: string }>`select id from lock_joined_companies(${since}) as id`.execute(tx)
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
