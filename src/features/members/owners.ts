import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { Standing } from './standing.ts'

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

/** The receiver becomes an Owner besides what it is; the giver stays what it is, but an Admin in place of an Owner. */
export async function passOwnership(tx: Tx, giver: Standing, receiver: Standing): Promise<void> {
  const roles = await tx
    .selectFrom('roles')
    .select(['id', 'system_key'])
    .where('system_key', 'in', ['owner', 'admin'])
    .execute()
  const idOf = (key: string) => roles.find(({ system_key }) => system_key === key)?.id as string
  await tx
    .insertInto('membership_roles')
    .values([
      { account_id: receiver.id, role_id: idOf('owner') },
      { account_id: giver.id, role_id: idOf('admin') },
    ])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx
    .deleteFrom('membership_roles')
    .where('account_id', '=', giver.id)
    .where('role_id', '=', idOf('owner'))
    .execute()
}

/** Active Owners to whom the company is open, as letters address them; of very many those with the longest membership. */
export async function ownersOf(tx: Tx, ownersMax: number) {
  const owners = await tx
    .selectFrom('membership_roles')
    .innerJoin('roles', 'roles.id', 'membership_roles.role_id')
    .innerJoin('memberships', 'memberships.account_id', 'membership_roles.account_id')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.email', 'accounts.name', 'accounts.locale'])
    .where('roles.system_key', '=', 'owner')
    .where('memberships.status', '=', 'active')
    .where('memberships.awaits_proof', '=', false)
    .orderBy('memberships.created_at')
    .orderBy('memberships.account_id')
    .limit(ownersMax)
    .execute()
  return owners
}
