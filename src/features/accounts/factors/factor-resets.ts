import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import type { Keys } from '../../../lib/keys.ts'
import { problem } from '../../../problems.ts'

/** For the owner of the account to cancel it. */
const WAIT_HOURS = 24

/** Which operator has asked for a reset, and why. */
interface Asked {
  operatorName: string
  requestId: string
  reason: string | null
}

export interface FactorReset extends Asked {
  accountId: string
  email: string
}

/** The account is locked. One that was announced to another address is replaced. Gives the id that the link's token is derived from. */
export async function insertFactorReset(
  tx: Tx,
  { id: account_id, email }: { id: string; email: string },
  { operatorName, requestId, reason }: Asked,
): Promise<{ id: string; due_at: string }> {
  const due_at = sql<string>`now() + make_interval(hours => ${WAIT_HOURS})`
  const about = { email, operator_name: operatorName, request_id: requestId, reason, due_at }
  return tx
    .insertInto('factor_resets')
    .values({ id: newId(), account_id, ...about })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ id: newId(), created_at: sql`now()`, ...about }),
    )
    .returning(['id', 'due_at'])
    .executeTakeFirstOrThrow()
}

const pendingResets = (tx: Tx) =>
  tx
    .selectFrom('factor_resets')
    .innerJoin('accounts', (join) =>
      join.onRef('accounts.id', '=', 'factor_resets.account_id').onRef('accounts.email', '=', 'factor_resets.email'),
    )

/** Not before when the factors of the account are removed; undefined: no operator has asked for it. */
export async function findFactorReset(tx: Tx, accountId: string): Promise<string | undefined> {
  const pending = await pendingResets(tx)
    .select('due_at')
    .where('factor_resets.account_id', '=', accountId)
    .executeTakeFirst()
  return pending?.due_at
}

/** Throws unless the reset can still be cancelled. Locks nothing. */
export async function getAccountOfFactorReset(tx: Tx, id: string): Promise<string> {
  const pending = await pendingResets(tx)
    .select('factor_resets.account_id as accountId')
    .where('factor_resets.id', '=', id)
    .executeTakeFirst()
  if (!pending) throw problem('link_invalid')
  return pending.accountId
}

/** The account is locked. One conditional statement, so that a reset is cancelled or carried out, and once. */
export async function takeFactorReset(
  tx: Tx,
  { accountId, id }: { accountId: string; id?: string },
): Promise<FactorReset | undefined> {
  return tx
    .deleteFrom('factor_resets')
    .where('account_id', '=', accountId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as string))
    .returning([
      'account_id as accountId',
      'email',
      'operator_name as operatorName',
      'request_id as requestId',
      'reason',
    ])
    .executeTakeFirst()
}

const RESETS_AT_ONCE = 100

export interface DueFactorReset {
  id: string
  accountId: string
  /** The link in its email still works, whichever of its keys a node made it with. */
  isCancellable: boolean
}

/**
 * Those whose owner was told long enough ago: the time begins when the mail server has taken the email, so that none is carried out
 * that could not be announced. Which key made its link is not kept, so each counts that was in use in that minute, give or take one:
 * nodes report theirs every few seconds. With one of them no longer accepted, as after a leak, the owner may not have been able to cancel.
 */
export async function findDueFactorResets(database: Database, { accepted }: Keys): Promise<DueFactorReset[]> {
  const kids = accepted.map(({ kid }) => kid)
  const { rows } = await sql<DueFactorReset>`
    select factor_resets.id, account_id as "accountId", not exists (
      select from signing_keys
      where kid <> all (${kids}::text[]) and first_seen_at < announced.finished_at + interval '1 minute'
        and last_seen_at > announced.finished_at - interval '1 minute') as "isCancellable"
    from factor_resets join emails announced
      on announced.recipient_email = factor_resets.email and kind = 'factor_reset_announced'
        and params ->> 'linkId' = factor_resets.id::text and status = 'sent'
    where due_at <= now() and finished_at <= now() - make_interval(hours => ${WAIT_HOURS})
    order by due_at limit ${RESETS_AT_ONCE}`.execute(database.autocommit(asWorker))
  return rows
}
