import { sql } from 'kysely'
import { getMembership } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import type { JoinedCompany } from './schemas.ts'

/** What an account has joined, read in the company. */
export async function getJoinedCompany(tx: Tx, accountId: string): Promise<JoinedCompany> {
  const [{ roles, status }, company] = await Promise.all([
    getMembership(tx, accountId),
    tx
      .selectFrom('companies')
      .select(['id', 'name', 'slug', sql<'active'>`'active'`.as('status')])
      .executeTakeFirstOrThrow(),
  ])
  return { company, roles: [...new Set(roles.map(({ name }) => name))].sort(), status }
}
