import { addressOf, shareOf } from '../lib/networks.ts'
import { statement, type Tx } from './queries.ts'
import { type Scope, SET_SCOPE } from './statements.ts'

/** Company routes: the rows of this company and no others. Functions that check what the account may see get its id. */
export const inCompany = (companyId: string, accountId: string): Scope => ({
  role: 'tenantry_tenant',
  companyId,
  accountId,
})

/** Account routes: accounts and sessions, and of companies only the account's own. */
export const asAccount = (accountId: string): Scope => ({ role: 'tenantry_account', accountId })

/**
 * By a link that was emailed to the account. It waits for a connection behind other links for the same, and not behind the account's
 * sessions, which may be an intruder's, and many, nor behind links that an intruder had sent to another mailbox.
 */
export const byLinkTo = (accountId: string, purpose: 'reset' | 'verify' | 'undo' | 'keep_factors'): Scope => ({
  ...asAccount(accountId),
  holder: `${purpose} ${accountId}`,
})

/**
 * Public routes, before the account is known. It takes no share of the connections, and comes before those who have one: for reads, and for
 * what waits for no lock or is bounded otherwise.
 */
export const asAnyone: Scope = { role: 'tenantry_account' }

/** The same with the share of a network, in CIDR notation. Wider ones are one, as everywhere where clients only delay each other. */
export const asAnyoneFrom = (network: string): Scope => ({
  ...asAnyone,
  holder: `network ${shareOf(addressOf(network))}`,
})

/**
 * The same with the share of one secret, such as a session's: as many as come with it wait behind each other, and not behind others of the
 * account, nor in front of everyone.
 */
export const asAnyoneWith = (
  secret: 'refresh token' | 'used token' | 'challenge' | 'idempotency key',
  id: string,
): Scope => ({
  ...asAnyone,
  holder: `${secret} ${id}`,
})

/** The same with the share of an account, for what is found by something else. */
export const asAnyoneOf = (accountId: string): Scope => ({ ...asAnyone, holder: accountId })

/** Background work: the outbox, and what has expired. Its statements may take longer. */
export const asWorker: Scope = { role: 'tenantry_worker', slow: true }

/** What metrics count: with the worker's rights, and within the limits of a request. */
export const asObserver: Scope = { role: 'tenantry_worker' }

/** The rest of the transaction acts in this company, for work that begins outside of it, such as creating it. */
export async function enterCompany(tx: Tx, companyId: string, accountId: string): Promise<void> {
  await switchTo(tx, inCompany(companyId, accountId))
}

/** The rest of the transaction acts for this account, for work that has to find it first, such as signing in. */
export async function enterAccount(tx: Tx, accountId: string): Promise<void> {
  await switchTo(tx, asAccount(accountId))
}

/** The rest of the transaction acts without an account, as public routes do. */
export async function enterAnyone(tx: Tx): Promise<void> {
  await switchTo(tx, asAnyone)
}

async function switchTo(tx: Tx, { role, companyId = '', accountId = '' }: Scope): Promise<void> {
  await setScope(tx, role, companyId, accountId)
}

const setScope = statement<never, [role: string, companyId: string, accountId: string]>(SET_SCOPE)
