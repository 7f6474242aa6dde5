import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { selectUser, toUser, type UserRow } from '../accounts/accounts.ts'
import type { SessionContext } from './schemas.ts'

/** One statement, because front ends request this most often. */
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

/** Bounds the companies that the account has not opened, because any company can add it without its consent. */
const UNOPENED_MAX = 20

/**
 * The companies that the account can access, in the order in which it joined them. Those that it has opened, and the
 * company that created the account, come first and are never left out.
 */
const companiesOf = (accountId: string) => sql<OwnCompany[]>`(
  select coalesce(json_agg(json_build_object(
    'id', companies.id, 'name', companies.name, 'slug', companies.slug, 'roles', own.role_names, 'permissions', own.permissions
  ) order by own.opened_at is null and not own.created_account, own.created_at, companies.id), '[]')
  from open_memberships own join companies on companies.id = own.company_id
  where own.account_id = ${accountId}
    and (own.opened_at is not null or own.created_account or own.company_id = any (array(
      select newest.company_id from open_memberships newest
      where newest.account_id = ${accountId} and newest.opened_at is null
      order by newest.created_at desc, newest.company_id desc limit ${sql.lit(UNOPENED_MAX)}))))`
