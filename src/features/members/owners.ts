import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

/**
 * Throws when this member is the only active Owner to whom the company is open: for whatever takes that from it. Needs the company's lock,
 * or two Owners who remove each other would each find the other still there.
 */
export async function keepAnOwner(tx: Tx, without: string): Promise<void> {
  const other = await tx
    .selectFrom('membership_roles')
    .innerJoin('roles', 'roles.id', 'membership_roles.role_id')
    .innerJoin('memberships', 'memberships.account_id', 'membership_roles.account_id')
    .select(sql`1`.as('one'))
    .where('roles.system_key', '=', 'owner')
    .where('memberships.status', '=', 'active')
    .where('memberships.awaits_proof', '=', false)
    .where('memberships.account_id', '!=', without)
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!other) throw problem('last_owner')
}
