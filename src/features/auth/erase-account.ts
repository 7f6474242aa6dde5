import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { AuditDeps } from '../audit/deps.ts'
import { type Erased, erasePerson } from '../audit/erasure/erase-person.ts'
import type { AuditActor } from '../audit/records.ts'
import { noteIn } from './disable-account.ts'

/**
 * For an operator: erases the owner of an account from the audit log. The account has to be disabled or deleted, so that its
 * owner causes no more records meanwhile.
 */
export async function eraseFromAudit(
  deps: AuditDeps,
  operator: AuditActor,
  accountId: string,
  reason: string | undefined,
): Promise<Erased> {
  const addresses = await addressesOf(deps.database, accountId)
  const withoutForeign = (all: readonly string[]) => withoutThoseOfOthers(deps.database, accountId, all)
  return erasePerson(deps, operator, { accountId, addresses, withoutForeign }, noteIn(reason))
}

async function addressesOf(database: Database, accountId: string): Promise<string[]> {
  const tx = database.autocommit(asAccount(accountId))
  const account = await tx
    .selectFrom('accounts')
    .select(['email', 'pending_email', 'disabled_at'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!account) return []
  if (!account.disabled_at)
    throw new OperatorError(
      'account_not_disabled',
      'Only a disabled account can be erased from the audit log: npm run -s tenantry -- user disable',
    )
  const former = await Promise.all(
    (['email_change_undos', 'factor_change_undos'] as const).map((table) =>
      tx.selectFrom(table).select('email').where('account_id', '=', accountId).execute(),
    ),
  )
  const addresses = [account.email, account.pending_email, ...former.flat().map(({ email }) => email)]
  return [...new Set(addresses.filter((email) => email !== null))]
}

/** An address may have changed hands: what names it now is about the other account. */
async function withoutThoseOfOthers(
  database: Database,
  accountId: string,
  addresses: readonly string[],
): Promise<string[]> {
  // One parameter, for PostgreSQL takes no more than 65,535.
  const others = await database
    .autocommit(asAnyone)
    .selectFrom('accounts')
    .select('email')
    .where(sql<boolean>`email = any (${addresses}::text[])`)
    .where('id', '!=', accountId)
    .execute()
  const foreign = new Set(others.map(({ email }) => email))
  return addresses.filter((address) => !foreign.has(address))
}
