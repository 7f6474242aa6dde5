import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'

/** So that each statement stays well below the time that one may take. */
const BATCH = 4000

/** Every member who holds the one role holds the other one instead. Needs the company's lock. */
export async function reassign(tx: Tx, fromRoleId: string, toRoleId: string): Promise<void> {
  // Else the checks of all rows would pile up until the commit, and together take too long.
  await sql`set constraints company_has_owner immediate`.execute(tx)
  let after = ''
  for (
    let ids = await nextHolders(tx, fromRoleId, after);
    ids.length > 0;
    ids = await nextHolders(tx, fromRoleId, after)
  ) {
    await exchange(tx, ids, fromRoleId, toRoleId)
    after = ids.at(-1) as string
  }
}

async function nextHolders(tx: Tx, roleId: string, after: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('membership_roles')
    .select('account_id')
    .where('role_id', '=', roleId)
    .$if(after !== '', (query) => query.where('account_id', '>', after))
    .orderBy('account_id')
    .limit(sql.lit(BATCH))
    .execute()
  return rows.map(({ account_id }) => account_id)
}

/** At no moment is a member without any role: who holds the other one already loses this one, the rest exchange it. */
async function exchange(tx: Tx, accountIds: string[], fromRoleId: string, toRoleId: string): Promise<void> {
  const among = sql`account_id = any (${accountIds}::uuid[])`
  await sql`
    delete from membership_roles where role_id = ${fromRoleId} and ${among} and account_id in (
      select account_id from membership_roles where role_id = ${toRoleId} and ${among})`.execute(tx)
  await sql`
    update membership_roles set role_id = ${toRoleId} where role_id = ${fromRoleId} and ${among}`.execute(tx)
}
