import { sql } from 'kysely'
import type { Actor } from '../../callers.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount } from '../../database/tenancy.ts'
import { foundCompany, type NewCompany } from './founding.ts'

/** A company as one of its members sees it. */
export interface Company {
  id: string
  name: string
  slug: string
  taxId: string
  status: 'active'
  /** The names of the caller's roles in it. */
  roles: string[]
  created_at: string
}

export interface CompanyQuery {
  page: number
  limit: number
  sortBy: 'name' | 'created_at'
  sortDir: 'asc' | 'desc'
}

export async function listCompanies(
  tx: Tx,
  { page, limit, sortBy, sortDir }: CompanyQuery,
): Promise<{ items: Company[]; total: number }> {
  const own = tx
    .selectFrom('memberships')
    .innerJoin('companies', 'companies.id', 'memberships.company_id')
    .where('memberships.status', '=', 'active')
    .where('companies.deleted_at', 'is', null)
  const [items, { total }] = await Promise.all([
    own
      .select(['companies.id', 'companies.name', 'companies.slug', 'companies.tax_id as taxId', 'companies.created_at'])
      .select([sql<'active'>`'active'`.as('status'), ownRoles.as('roles')])
      .orderBy(sortBy === 'name' ? sql`lower(companies.name)` : sql`companies.created_at`, sortDir)
      .orderBy('companies.id', sortDir)
      .limit(sql.lit(limit))
      .offset((page - 1) * limit)
      .execute(),
    own.select((count) => count.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { items, total }
}

const ownRoles = sql<string[]>`array(
  select roles.name from membership_roles join roles on roles.id = membership_roles.role_id
  where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id
  order by roles.name)`

/** The caller becomes the Owner. */
export async function createCompany(database: Database, actor: Actor, wanted: NewCompany): Promise<Company> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const id = await foundCompany(tx, actor, wanted)
    const company = await tx
      .selectFrom('companies')
      .select(['id', 'name', 'slug', 'tax_id as taxId', 'created_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return { ...company, status: 'active', roles: ['Owner'] }
  })
}
