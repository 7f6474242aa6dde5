import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'

/**
 * Members with the one role get the other one instead, `membersMax` of them at once. Returns how many. Needs the company’s
 * lock. A member is never without a role: the new one is inserted first, unless the member has it already.
 */
export async function exchangeRoles(
  tx: Tx,
  { from, to, membersMax }: { from: string; to: string; membersMax: number },
): Promise<number> {
  // Otherwise the checks of all rows would be due at the commit, when the role may no longer be known.
  await sql`set constraints company_has_owner immediate`.execute(tx)
  const members = sql`select account_id from membership_roles where role_id = ${from} order by account_id limit ${membersMax}`
  await sql`
    insert into membership_roles (account_id, role_id) select account_id, ${to}::uuid from (${members}) as members
    on conflict do nothing`.execute(tx)
  const { numAffectedRows } = await sql`
    delete from membership_roles where role_id = ${from} and account_id = any (array(${members}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
