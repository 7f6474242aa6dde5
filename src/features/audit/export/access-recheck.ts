import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import type { Database } from '../../../database/open.ts'
import { asAccount } from '../../../database/scopes.ts'

/** Whether the session, the membership, its right to read the audit and the company still are what they were at the request. */
export async function canStillRead(
  database: Database,
  { accountId, sessionId, companyId }: CompanyActor,
): Promise<boolean> {
  const { rows } = await sql`
    select from sessions
    join memberships on memberships.account_id = sessions.account_id and memberships.company_id = ${companyId}
    join companies on companies.id = memberships.company_id
    where sessions.id = ${sessionId} and sessions.account_id = ${accountId}
      and sessions.revoked_at is null and sessions.expires_at > now() and not sessions.must_change_password
      and memberships.status = 'active' and companies.deleted_at is null
      and exists (
        select from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.company_id = memberships.company_id
          and membership_roles.account_id = memberships.account_id and 'audit:read' = any (roles.permissions))`.execute(
    database.autocommit(asAccount(accountId)),
  )
  return rows.length > 0
}
