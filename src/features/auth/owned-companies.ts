import { sql } from 'kysely'
import { canAnotherOwnerManage } from '../../access/owners.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, enterAccount, enterCompany, inCompany } from '../../database/scopes.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { COMPANIES_TOLD_MAX, notifyOtherOwners } from '../ownership/notify-owners-changed.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'

export interface OwnedCompany {
  id: string
  name: string
  slug: string
}

/** Each waits for the lock of its company as long as a write does, behind whom its members keep busy. */
const TRIES_MAX = 5

/**
 * For an account that is disabled: deletes its offers of ownership, so that none becomes valid again later, and returns its
 * companies that no other owner can manage. Each company has a transaction of its own, so that a busy one delays no other, and takes
 * nothing back of what was done. May be repeated. Throws, after the others, when companies stay locked.
 */
export async function leaveCompaniesToOthers(database: Database, accountId: string): Promise<OwnedCompany[]> {
  const withoutOwner: OwnedCompany[] = []
  const busy: OwnedCompany[] = []
  for (const company of await findOwned(database.autocommit(asAccount(accountId)), accountId)) {
    const isManaged = await patiently(() =>
      database.write(inCompany(company.id, accountId), (tx) => leaveToOthers(tx, accountId)),
    )
    if (isManaged === undefined) busy.push(company)
    if (isManaged === false) withoutOwner.push(named(company))
  }
  if (busy.length > 0)
    throw new OperatorError('company_busy', `Busy: ${listOf(busy)}. Repeat the command, which goes on there.`)
  return withoutOwner
}

/**
 * Tells the other owners of each company that this one counts no more, or again. In the transaction of that change, of which the companies'
 * locks are no part: the account is locked already.
 */
export async function notifyOwnersOfThem(
  tx: Tx,
  account: { id: string; name: string; email: string },
  change: 'disabled' | 'enabled',
): Promise<void> {
  const owned = (await findOwned(tx, account.id)).filter(({ isDeleted, isActive }) => !isDeleted && isActive)
  for (const company of owned.slice(0, COMPANIES_TOLD_MAX)) {
    await enterCompany(tx, company.id, account.id)
    await notifyOtherOwners(tx, account, change)
  }
  await enterAccount(tx, account.id)
}

const named = ({ id, name, slug }: OwnedCompany): OwnedCompany => ({ id, name, slug })

const listOf = (companies: OwnedCompany[]) => companies.map(({ name, id }) => `company ${name} (${id})`).join(', ')

/** Whether another owner can manage the company, or it is gone. */
async function leaveToOthers(tx: Tx, accountId: string): Promise<boolean> {
  const company = await tx.selectFrom('companies').select('id').forNoKeyUpdate().executeTakeFirst()
  if (!company) return true
  await deleteInvalidTransfer(tx)
  return canAnotherOwnerManage(tx, accountId)
}

interface FoundCompany extends OwnedCompany {
  isDeleted: boolean
  /** The membership. */
  isActive: boolean
}

/** Those that it joined first come first: strangers who add the account to companies of theirs take no place of its own ones. */
async function findOwned(tx: Tx, accountId: string): Promise<FoundCompany[]> {
  const { rows } = await sql<FoundCompany>`
    select companies.id, companies.name, companies.slug, companies.deleted_at is not null as "isDeleted",
      memberships.status = 'active' as "isActive"
    from memberships
    join companies on companies.id = memberships.company_id
    where memberships.account_id = ${accountId} and memberships.opened_at is not null
      and companies.purge_started_at is null and exists (
        select from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.company_id = companies.id and membership_roles.account_id = ${accountId}
          and roles.system_key = 'owner')
    order by memberships.created_at, companies.id`.execute(tx)
  return rows
}

/** Undefined: the company stays locked. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      return await work()
    } catch (error) {
      if (problemFromDatabase(error)?.code !== 'database_unavailable') throw error
    }
  }
  return undefined
}
