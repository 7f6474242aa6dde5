import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { newId } from '../../../lib/ids.ts'
import { problem } from '../../../problems.ts'

/** How long a change of factors can be undone. */
const UNDO_HOURS = 72

/** The link for the email about a change that this transaction makes; the id is what its token is derived from. */
export async function createFactorUndo(
  tx: Tx,
  { id: account_id, email }: { id: string; email: string },
): Promise<string> {
  const id = newId()
  const expires_at = sql<string>`now() + make_interval(hours => ${UNDO_HOURS})`
  await tx.insertInto('factor_change_undos').values({ id, account_id, email, expires_at }).execute()
  return id
}

/**
 * The account that the link belongs to, while it has the address that the link was sent to: the reader of another mailbox gets the
 * link to a new password otherwise. Whether the link can still be used shows only under the account's lock.
 */
export async function getAccountOfFactorUndo(tx: Tx, id: string): Promise<string> {
  const undo = await tx
    .selectFrom('factor_change_undos')
    .innerJoin('accounts', (join) =>
      join
        .onRef('accounts.id', '=', 'factor_change_undos.account_id')
        .onRef('accounts.email', '=', 'factor_change_undos.email'),
    )
    .select('factor_change_undos.account_id as accountId')
    .where('factor_change_undos.id', '=', id)
    .where('factor_change_undos.expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  if (!undo) throw problem('link_invalid')
  return undo.accountId
}

/**
 * Uses the link up, and those of later changes, which are undone with it. Those of earlier changes stay: the person who uses this one
 * may be an intruder. Returns when the change was made.
 */
export async function useFactorUndo(
  tx: Tx,
  id: string,
  { id: accountId, email }: { id: string; email: string },
): Promise<string> {
  const used = await tx
    .deleteFrom('factor_change_undos')
    .where('id', '=', id)
    .where('email', '=', email)
    .where('expires_at', '>', sql<string>`now()`)
    .returning(sql<string>`created_at::text`.as('madeAt'))
    .executeTakeFirst()
  if (!used) throw problem('link_invalid')
  await tx
    .deleteFrom('factor_change_undos')
    .where('account_id', '=', accountId)
    .where('created_at', '>', used.madeAt)
    .execute()
  return used.madeAt
}

/**
 * The moment of a change of address, or the earlier one from which on the reader of the mailbox could undo changes of factors then, by
 * their links. The change has made these worthless, and they may have expired since.
 */
export async function findUndoableSince(
  tx: Tx,
  { accountId, email, changedAt }: { accountId: string; email: string; changedAt: string },
): Promise<string> {
  const { since } = await tx
    .selectFrom('factor_change_undos')
    .select(sql<string>`least(min(created_at), ${changedAt}::timestamptz)::text`.as('since'))
    .where('account_id', '=', accountId)
    .where('email', '=', email)
    .where('expires_at', '>', sql<string>`${changedAt}::timestamptz`)
    .executeTakeFirstOrThrow()
  return since
}
