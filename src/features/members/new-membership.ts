import type { InsertObject } from 'kysely'
import type { Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import type { Schema } from '../../database/schema.ts'

type Columns = Partial<Omit<InsertObject<Schema, 'memberships'>, 'company_id' | 'account_id'>>

/**
 * Makes an account a member of the company whose lock `tx` holds. The caller has locked the account, and adjusts the counters
 * at the end. Triggers copy what the company may see of the account, and end what it has asked for.
 */
export async function insertMembership(tx: Tx, accountId: string, roles: Role[], columns: Columns): Promise<void> {
  await Promise.all([
    tx
      .insertInto('memberships')
      .values({ account_id: accountId, ...columns })
      .execute(),
    tx
      .insertInto('membership_roles')
      .values(roles.map((role) => ({ account_id: accountId, role_id: role.id })))
      .execute(),
  ])
}
