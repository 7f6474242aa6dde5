import { sql } from 'kysely'
import type { Tx } from './open.ts'
import type { Scope } from './statements.ts'

/** Company routes: the rows of this company and no others. The account is known to functions that ask what it may see. */
export const inCompany = (companyId: string, accountId: string): Scope => ({
  role: 'tenantry_tenant',
  companyId,
  accountId,
})

/** Account routes: accounts and sessions; of companies only what belongs to this account. */
export const asAccount = (accountId: string): Scope => ({ role: 'tenantry_account', accountId })

/** Public routes, where the account is yet to be found. */
export const asAnyone: Scope = { role: 'tenantry_account' }

/** Background work: the outbox and what is over. */
export const asWorker: Scope = { role: 'tenantry_worker', slow: true }

/** From here on the transaction acts in this company: for work that begins outside of one, such as founding it. */
export async function enterCompany(tx: Tx, companyId: string, accountId: string): Promise<void> {
  await switchTo(tx, inCompany(companyId, accountId))
}

/** From here on the transaction acts for this account: for work that had to find it first, such as signing in. */
export async function enterAccount(tx: Tx, accountId: string): Promise<void> {
  await switchTo(tx, asAccount(accountId))
}

/** From here on the transaction acts for the public, as a request without an account does. */
export async function enterAnyone(tx: Tx): Promise<void> {
  await switchTo(tx, asAnyone)
}

async function switchTo(tx: Tx, { role, companyId = '', accountId = '' }: Scope): Promise<void> {
  await sql`select set_config('role', ${role}, true), set_config('app.company_id', ${companyId}, true),
    set_config('app.account_id', ${accountId}, true)`.execute(tx)
}
