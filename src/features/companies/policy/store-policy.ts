import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { deleteInvalidTransfer } from '../../ownership/transfers.ts'
import type { PolicyColumns } from './policy.ts'

/** The first reminder of those who lack a second factor comes so many days before it is asked for. */
const FIRST_REMINDER_DAYS = 14

/**
 * Ends an offer of ownership by a member whom the policy shuts out, the former one or the new one. `remindsAnew`: another date, or other
 * members, so that reminders begin again; never two within a day.
 */
export async function storePolicy(
  tx: Tx,
  columns: PolicyColumns,
  { remindsAnew }: { remindsAnew: boolean },
): Promise<void> {
  await deleteInvalidTransfer(tx)
  await tx
    .updateTable('companies')
    .set(columns)
    .$if(remindsAnew, (query) => query.set({ policy_remind_at: null, policy_reminded_to: null }))
    .execute()
  await deleteInvalidTransfer(tx)
  if (!remindsAnew) return
  await tx
    .updateTable('companies')
    .set({
      policy_remind_at: sql<string>`greatest(now(), policy_factor_from - make_interval(days => ${FIRST_REMINDER_DAYS}),
        policy_reminded_at + interval '1 day')`,
    })
    .where(sql<boolean>`policy_factor_from > now()`)
    .execute()
}
