import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { type User, userOf } from './users.ts'

export interface TenantSummary {
  id: string
  name: string
  slug: string
}

/** Who somebody is and what they may do where: the answer to signing in, and to "who am I?". */
export interface Composite {
  user: User
  tenants: TenantSummary[]
  companyPermissions: Record<string, string[]>
  companyRoles: Record<string, string[]>
}

export async function compositeOf(tx: Tx, accountId: string, sessionId: string): Promise<Composite> {
  const [user, companies] = await Promise.all([userOf(tx, accountId, sessionId), companiesOf(tx, accountId)])
  const byCompany = <Value>(value: (company: (typeof companies)[number]) => Value) =>
    Object.fromEntries(companies.map((company) => [company.id, value(company)]))
  return {
    user,
    tenants: companies.map(({ id, name, slug }) => ({ id, name, slug })),
    companyPermissions: byCompany(({ permissions }) => permissions),
    companyRoles: byCompany(({ roles }) => roles),
  }
}

/** The companies in which the account is an active member, in the order in which it joined them. */
async function companiesOf(tx: Tx, accountId: string) {
  const own = sql`from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id`
  const { rows } = await sql<TenantSummary & { roles: string[]; permissions: string[] }>`
    select companies.id, companies.name, companies.slug,
      array(select roles.name ${own} order by roles.name) as roles,
      array(select distinct unnest(roles.permissions) ${own} order by 1) as permissions
    from memberships join companies on companies.id = memberships.company_id
    where memberships.account_id = ${accountId} and memberships.status = 'active' and companies.deleted_at is null
    order by memberships.created_at, companies.id`.execute(tx)
  return rows
}
