import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { UNDER_LOCK } from './under-lock.ts'

/** How long a change of address can be undone. */
export const UNDO_DAYS = 7

interface EmailChange {
  accountId: string
  /** The address before, which the link restores. */
  email: string
  /** The account's credentials_version after the change. */
  version: number
  /** No other account can take the address before while the change can be undone. */
  isReserved: boolean
  /** The address before had been verified. */
  isVerified: boolean
}

/** The link for the address before; the id is what its token is derived from. */
export async function createEmailChangeUndo(
  tx: Tx,
  { accountId, email, version, isReserved, isVerified }: EmailChange,
): Promise<string> {
  const id = newId()
  await tx
    .insertInto('email_change_undos')
    .values({
      id,
      account_id: accountId,
      email,
      credentials_version: version,
      is_reserved: isReserved,
      is_verified: isVerified,
      expires_at: sql<string>`${UNDER_LOCK} + make_interval(days => ${UNDO_DAYS})`,
    })
    .execute()
  return id
}

const changedAt = sql<string>`email_change_undos.expires_at - make_interval(days => ${UNDO_DAYS})`.as('changedAt')

/** The account that the link belongs to. Whether the link can still be used shows only under the account's lock. */
export async function getAccountOfUndo(
  tx: Tx,
  id: string,
): Promise<{ accountId: string; isCurrentAddress: boolean; changedAt: string }> {
  const undo = await tx
    .selectFrom('email_change_undos')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['account_id as accountId', sql<boolean>`accounts.email = email_change_undos.email`.as('isCurrentAddress')])
    .select(changedAt)
    .where('email_change_undos.id', '=', id)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  if (!undo) throw problem('link_invalid')
  return undo
}

/** For check_factors_undone, before a link that works is deleted: the factors of an intruder are not forgotten. */
async function declareFactorsKnown(tx: Tx): Promise<void> {
  await sql`select set_config('app.knows_factors', 'yes', true)`.execute(tx)
}

/**
 * Uses the link up and gives the address to restore. The links of later changes are deleted with it: they belong to the
 * addresses that are being undone, so an intruder may have them. Links of earlier changes stay, because the person who uses
 * this one may be an intruder that an earlier address can still undo.
 */
export async function useEmailChangeUndo(tx: Tx, id: string): Promise<{ email: string; changedAt: string }> {
  await declareFactorsKnown(tx)
  const used = await tx
    .deleteFrom('email_change_undos')
    .where('id', '=', id)
    .where('expires_at', '>', sql<string>`now()`)
    .returning(['account_id', 'email', 'credentials_version'])
    .returning(changedAt)
    .executeTakeFirst()
  if (!used) throw problem('link_invalid')
  await tx
    .deleteFrom('email_change_undos')
    .where('account_id', '=', used.account_id)
    .where('credentials_version', '>', used.credentials_version)
    .execute()
  return { email: used.email, changedAt: used.changedAt }
}

/**
 * For a change back to an address that a link can restore: the links of the changes in between end, as by an undo. An owner who takes
 * the address back by a change would otherwise leave them to an intruder, and they live longer than the owner's own, which stays.
 * False: no link restores this address.
 */
export async function endUndosAfter(tx: Tx, accountId: string, restored: string): Promise<boolean> {
  const own = tx.selectFrom('email_change_undos').where('account_id', '=', accountId)
  const undo = await own
    .select('credentials_version')
    .where('email', '=', restored)
    .where('expires_at', '>', sql<string>`now()`)
    .orderBy('credentials_version')
    .limit(1)
    .executeTakeFirst()
  if (!undo) return false
  await declareFactorsKnown(tx)
  await tx
    .deleteFrom('email_change_undos')
    .where('account_id', '=', accountId)
    .where('email', '!=', restored)
    .where('credentials_version', '>', undo.credentials_version)
    .execute()
  return true
}

/** Whether a former address can take the account back. */
export async function canBeUndone(tx: Tx, accountId: string): Promise<boolean> {
  const undo = await tx
    .selectFrom('email_change_undos')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select('email_change_undos.id')
    .where('account_id', '=', accountId)
    .where('expires_at', '>', sql<string>`now()`)
    .whereRef('email_change_undos.email', '!=', 'accounts.email')
    .executeTakeFirst()
  return undo !== undefined
}

/** Whether another account had this address lately and can still get it back. */
export async function isEmailReserved(tx: Tx, email: string, accountId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('email_change_undos')
    .select('id')
    .where('email', '=', email)
    .where('account_id', '!=', accountId)
    .where('is_reserved', '=', true)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return row !== undefined
}
