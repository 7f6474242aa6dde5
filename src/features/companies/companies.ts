import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { assertPasswordNotShown, lockOwnAccount } from '../accounts/accounts.ts'
import { assertMayEnter, findWaitToEnter } from '../accounts/entered-companies.ts'
import { insertCompany } from './create-company.ts'
import type { Company, CompanyQuery, NewCompany } from './schemas.ts'

/** The companies of the account that `tx` acts for. */
export async function listCompanies(
  tx: Tx,
  { search, status, sortBy, sortDir, ...page }: CompanyQuery,
): Promise<Page<Company>> {
  const own = ownCompanies(tx)
    .where('memberships.status', '=', 'active')
    .where(status === 'deleted' ? isRestorable : sql<boolean>`companies.deleted_at is null`)
    .$if(status === 'active', (query) => query.where('companies.suspended_at', 'is', null))
    .$if(status === 'suspended', (query) => query.where('companies.suspended_at', 'is not', null))
    .$if(Boolean(search), (query) => query.where('companies.name_folded', 'like', likePattern(search as string)))
  return findPage(own, page, (companies, total) =>
    companies
      .select(shown)
      .select(total.as('total'))
      .orderBy(sortBy === 'name' ? 'companies.name_folded' : 'companies.created_at', sortDir)
      .orderBy('companies.id', sortDir),
  )
}

/** The company that `tx` acts in, unless it or the account’s membership has ended since the request came in. */
export async function getCompany(tx: Tx): Promise<Company> {
  const company = await ownCompanies(tx).select(shown).where('companies.deleted_at', 'is', null).executeTakeFirst()
  if (!company) throw problem('company_not_found')
  return company
}

/**
 * The caller becomes the owner. Not for an account whose password was shown to an administrator, who could be the one
 * who calls.
 */
export async function createCompany(
  { config, database }: Pick<Deps, 'config' | 'database'>,
  actor: Actor,
  wanted: NewCompany,
): Promise<Company> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    assertPasswordNotShown(await lockOwnAccount(tx, actor))
    assertMayEnter(config, await findWaitToEnter(tx))

    await insertCompany(tx, actor, actor.accountId, wanted)
    return getCompany(tx)
  })
}

const ownCompanies = (tx: Tx) =>
  tx
    .selectFrom('memberships')
    .innerJoin('companies', 'companies.id', 'memberships.company_id')
    .where('memberships.account_id', '=', sql<string>`current_account()`)

const restorableUntil = sql<string | null>`companies.deleted_at + company_restore_period()`
const ownRoles = sql<string[]>`array(
  select distinct roles.name from membership_roles join roles on roles.id = membership_roles.role_id
  where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
  order by roles.name)`

const shown = [
  'companies.id',
  'companies.name',
  'companies.slug',
  'companies.tax_id as taxId',
  'companies.timezone',
  'companies.locale',
  sql<Company['status']>`case when companies.deleted_at is not null then 'deleted'
    when companies.suspended_at is not null then 'suspended' else 'active' end`.as('status'),
  ownRoles.as('roles'),
  'companies.created_at',
  'companies.updated_at',
  'companies.deleted_at',
  restorableUntil.as('restorable_until'),
] as const

const isRestorable = sql<boolean>`
  companies.deleted_at + company_restore_period() > now() and companies.purge_started_at is null
  and memberships.opened_at is not null and exists (
    select from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = companies.id and membership_roles.account_id = memberships.account_id
      and roles.system_key = 'owner')`
