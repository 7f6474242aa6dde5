import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'

/** So that each statement stays well below the time that one may take. */
const BATCH = 10_000

/** Every member who holds the one role holds the other one instead. Needs the company's lock. */
export async function reassign(tx: Tx, fromRoleId: string, toRoleId: string): Promise<void> {
  // Else the checks of all rows would pile up until the commit, and together take too long.
  await sql`set constraints company_keeps_an_owner immediate`.execute(tx)
  const from = sql`${fromRoleId}::uuid`
  const to = sql`${toRoleId}::uuid`
  const holders = sql`select account_id from membership_roles where role_id = ${from}`
  // At no moment is a member without any role: who holds the other one already loses this one, the rest exchange it.
  const batches = [
    sql`delete from membership_roles where role_id = ${from} and account_id in (
      ${holders} intersect select account_id from membership_roles where role_id = ${to} limit ${sql.lit(BATCH)})`,
    sql`update membership_roles set role_id = ${to}
      where role_id = ${from} and account_id in (${holders} limit ${sql.lit(BATCH)})`,
  ]
  for (const batch of batches) while ((await batch.execute(tx)).numAffectedRows === BigInt(BATCH));
}
