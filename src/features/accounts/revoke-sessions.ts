import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { countRevokedSessions } from './session-counts.ts'

export type RevocationReason =
  | 'signed_out'
  | 'revoked_by_user'
  | 'password_changed'
  | 'password_reset'
  | 'email_change_undone'
  | 'refresh_token_reused'
  | 'response_lost'
  | 'too_many_sessions'
  | 'account_disabled'
  | 'second_factor_removed'

/** So that each statement ends within the half second that it has late in a transaction, however many sessions there are. */
const REVOKED_AT_ONCE = 250

interface Revoked {
  only?: string[] | undefined
  except?: string | undefined
}

/** Revokes all sessions of the account, or the given ones. Every node refuses their tokens from the next request on. */
export async function revokeSessions(
  tx: Tx,
  accountId: string,
  reason: RevocationReason,
  which: Revoked = {},
): Promise<number> {
  let count = 0
  for (const part of partsOf(which))
    for (;;) {
      const { found, ended } = await revokeSome(tx, accountId, reason, part)
      count += ended
      if (found < REVOKED_AT_ONCE) break
    }
  countRevokedSessions(tx, reason, count)
  return count
}

/** So that no statement carries the ids that others have dealt with. */
function partsOf({ only, except }: Revoked): Revoked[] {
  if (!only) return [{ except }]
  const starts = Array.from({ length: Math.ceil(only.length / REVOKED_AT_ONCE) }, (_, part) => part * REVOKED_AT_ONCE)
  return starts.map((start) => ({ only: only.slice(start, start + REVOKED_AT_ONCE), except }))
}

/** `found` and not `ended` says whether there may be more: another transaction may have ended some of them meanwhile. */
async function revokeSome(
  tx: Tx,
  accountId: string,
  reason: RevocationReason,
  { only, except }: Revoked,
): Promise<{ found: number; ended: number }> {
  const isOne = only ? sql`and id = any (${only}::uuid[])` : sql``
  const isOther = except ? sql`and id <> ${except}` : sql``
  const { rows } = await sql<{ found: number; ended: number }>`
    with found as materialized (
      select id from sessions where account_id = ${accountId} and revoked_at is null ${isOne} ${isOther}
      limit ${sql.lit(REVOKED_AT_ONCE)}),
    ended as (
      update sessions set revoked_at = now(), revoked_reason = ${reason}
      where id in (select id from found) and revoked_at is null
      returning id)
    select (select count(*) from found)::int as found, (select count(*) from ended)::int as ended`.execute(tx)
  return rows[0] as { found: number; ended: number }
}

/**
 * Of one account, so that they can be ended all at once. More than people and their programs ever have; those that were not used for
 * longest make room. A thief who signs in as often as that could end them with the password anyway.
 */
const SESSIONS_MAX = 10_000
/** Where there are far more already, each sign-in ends some of them. */
const EXCESS_AT_ONCE = 2000

/** The account is locked, and has got a session more. */
export async function endExcessSessions(tx: Tx, accountId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update sessions set revoked_at = now(), revoked_reason = 'too_many_sessions'
    where revoked_at is null and id = any (array(
      select id from sessions where account_id = ${accountId} and revoked_at is null
      order by last_used_at desc, created_at desc, id desc
      offset ${sql.lit(SESSIONS_MAX)} limit ${sql.lit(EXCESS_AT_ONCE)}))`.execute(tx)
  const count = Number(numAffectedRows ?? 0)
  if (count > 0) countRevokedSessions(tx, 'too_many_sessions', count)
}
