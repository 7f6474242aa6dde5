import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'

/** Bounds the time of each statement. */
const BATCH = 4000

/** Every member with the one role gets the other one instead. Needs the company’s lock. */
export async function replaceDeletedRole(tx: Tx, fromRoleId: string, toRoleId: string): Promise<void> {
  // Otherwise the checks of all rows would be due at the commit, and together take too long.
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

/** A member is never without a role: members who have the other role already lose this one, all others exchange it. */
async function exchange(tx: Tx, accountIds: string[], fromRoleId: string, toRoleId: string): Promise<void> {
  const among = sql`account_id = any (${accountIds}::uuid[])`
  await sql`
    delete from membership_roles where role_id = ${fromRoleId} and ${among} and account_id in (
      select account_id from membership_roles where role_id = ${toRoleId} and ${among})`.execute(tx)
  await sql`
    update membership_roles set role_id = ${toRoleId} where role_id = ${fromRoleId} and ${among}`.execute(tx)
}
