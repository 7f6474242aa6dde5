import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { selectUser, toUser, type UserRow } from '../accounts/accounts.ts'
import type { SessionContext } from './schemas.ts'

/** One statement, because it answers the request that front ends send most. */
export async function getSessionContext(tx: Tx, accountId: string, sessionId: string): Promise<SessionContext> {
  const { rows } = await selectUser(accountId, sessionId, companiesOf(accountId)).execute(tx)
  const row = rows[0] as UserRow<OwnCompany[]>
  const companies = row.more
  const byCompany = <Value>(value: (company: OwnCompany) => Value) =>
    Object.fromEntries(companies.map((company) => [company.id, value(company)]))
  return {
    user: toUser(row),
    tenants: companies.map(({ id, name, slug }) => ({ id, name, slug })),
    companyPermissions: byCompany(({ permissions }) => permissions),
    companyRoles: byCompany(({ roles }) => roles),
  }
}

type TenantSummary = SessionContext['tenants'][number]

interface OwnCompany extends TenantSummary {
  roles: string[]
  permissions: string[]
}

const ofMembership = sql`from membership_roles join roles on roles.id = membership_roles.role_id
  where membership_roles.company_id = memberships.company_id and membership_roles.account_id = memberships.account_id`

/** Of the companies that an account has not opened yet, only so many: anybody may add it to any number. */
const UNOPENED_MAX = 20

/**
 * The companies that are open to the account, in the order in which it joined them. Those that it has opened and the one
 * that made it come first.
 */
const companiesOf = (accountId: string) => sql<OwnCompany[]>`(
  select coalesce(json_agg(json_build_object(
    'id', companies.id, 'name', companies.name, 'slug', companies.slug,
    'roles', array(select roles.name ${ofMembership} order by roles.name),
    'permissions', array(select distinct unnest(roles.permissions) ${ofMembership} order by 1)
  ) order by memberships.opened_at is null and not memberships.created_account, memberships.created_at, companies.id), '[]')
  from memberships join companies on companies.id = memberships.company_id
  where memberships.account_id = ${accountId} and memberships.status = 'active' and companies.deleted_at is null
    and (memberships.opened_at is not null or memberships.created_account or memberships.company_id = any (array(
      select newest.company_id from memberships newest join companies on companies.id = newest.company_id
      where newest.account_id = ${accountId} and newest.status = 'active' and newest.opened_at is null
        and companies.deleted_at is null
      order by newest.created_at desc, newest.company_id desc limit ${sql.lit(UNOPENED_MAX)}))))`
