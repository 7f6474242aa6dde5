import { sql } from 'kysely'
import { findMembership } from '../../access/memberships.ts'
import { SLOW_STATEMENT_MS, STATEMENT_MS } from '../../database/connection-settings.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import { COMPANIES_TOLD_MAX, notifyOtherOwners } from '../ownership/notify-owners-changed.ts'

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
  account: { id: string; name: string; email: string },
  { since, ids }: JoinedCompanies,
  requestId: string,
): Promise<void> {
  const accountId = account.id
  const owned = await findOwned(tx, ids)
  const recordIds = ids.map(() => newId())
  await sql`select deactivate_joined_members(${since}, ${ids}::uuid[], ${recordIds}::uuid[], ${requestId})`.execute(tx)
  for (const companyId of owned) {
    await enterCompany(tx, companyId, accountId)
    const member = await findMembership(tx, accountId)
    if (member?.status === 'inactive') await notifyOtherOwners(tx, account, 'undone')
  }
  await enterAccount(tx, accountId)
}

/** Of these companies, some that are not deleted and in which the account counts as an owner. */
async function findOwned(tx: Tx, companyIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select companies.id from memberships join companies on companies.id = memberships.company_id
    where companies.id = any (${companyIds}::uuid[]) and companies.deleted_at is null
      and memberships.account_id = current_account() and memberships.status = 'active'
      and memberships.opened_at is not null and exists (
        select from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.company_id = companies.id and membership_roles.account_id = current_account()
          and roles.system_key = 'owner')
    order by memberships.created_at, companies.id limit ${sql.lit(COMPANIES_TOLD_MAX)}`.execute(tx)
  return rows.map(({ id }) => id)
}
