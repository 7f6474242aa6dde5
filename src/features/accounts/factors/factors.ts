import { sql } from 'kysely'
import type { SessionId } from '../../../access/actors.ts'
import type { Tx } from '../../../database/open.ts'
import { problem } from '../../../problems.ts'
import { revokeSessions } from '../revoke-sessions.ts'
import { deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts'
import type { Factor } from './schemas.ts'

/** How long a factor may wait for its confirmation. */
export const CONFIRMATION_MINUTES = 10

/** Those that count, in the order in which they were added. */
export async function listFactors(tx: Tx, accountId: string): Promise<Factor[]> {
  const rows = await confirmedFactors(tx, accountId).orderBy('confirmed_at').orderBy('id').execute()
  return rows.map(factorFrom)
}

export async function getFactor(tx: Tx, accountId: string, factorId: string): Promise<Factor> {
  const factor = await confirmedFactors(tx, accountId).where('id', '=', factorId).executeTakeFirst()
  if (!factor) throw problem('factor_not_found')
  return factorFrom(factor)
}

const confirmedFactors = (tx: Tx, accountId: string) =>
  tx
    .selectFrom('second_factors')
    .select(['id', 'kind', 'name', sql<string>`confirmed_at`.as('created_at'), 'last_used_at'])
    .select(['backed_up', 'copied_at'])
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)

type FactorRow = Awaited<ReturnType<ReturnType<typeof confirmedFactors>['execute']>>[number]

const factorFrom = ({ backed_up, copied_at, ...factor }: FactorRow): Factor => ({
  ...factor,
  ...(backed_up !== null && { synced: backed_up }),
  ...(copied_at !== null && { copied_at }),
})

export async function renameFactor(tx: Tx, factorId: string, name: string): Promise<void> {
  await tx.updateTable('second_factors').set({ name }).where('id', '=', factorId).execute()
}

/** The account is locked. The last factor takes the recovery codes along, for which the account has no use any more. */
export async function deleteFactor(
  tx: Tx,
  actor: SessionId,
  factorId: string,
  { isLast }: { isLast: boolean },
): Promise<void> {
  await tx.deleteFrom('second_factors').where('id', '=', factorId).execute()
  await endProofsBy(tx, actor, factorId)
  if (!isLast) return
  await deleteRecoveryCodes(tx, actor.accountId)
  await endProofsBy(tx, actor, actor.accountId)
}

/** The caller's session goes on, but has not proved what is there no more. */
async function endProofsBy(tx: Tx, actor: SessionId, factorId: string): Promise<void> {
  await endSessionsProvedBy(tx, actor, factorId)
  await forgetFactor(tx, actor, factorId)
}

/**
 * The account is locked and has factors. A session that one of the codes of before has opened may be a thief's. The caller's is shown the
 * new ones, so it goes on as one that has proved them: who has lost all else needs this answer again where it was lost on its way.
 */
export async function renewRecoveryCodes(tx: Tx, actor: SessionId): Promise<string[]> {
  const codes = await replaceRecoveryCodes(tx, actor.accountId)
  await endSessionsProvedBy(tx, actor, actor.accountId)
  return codes
}

/**
 * Sessions that the factor has opened, or that have proved it since, end with it, whatever they have proved besides, except the
 * caller's: who removes a factor may have lost it.
 */
async function endSessionsProvedBy(tx: Tx, { accountId, sessionId }: SessionId, factorId: string): Promise<void> {
  const opened = await tx
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`${factorId} = any (second_factor_ids)`)
    .where('revoked_at', 'is', null)
    .execute()
  const only = opened.map(({ id }) => id).filter((id) => id !== sessionId)
  if (only.length > 0) await revokeSessions(tx, accountId, 'second_factor_removed', { only })
}

/** Of a factor that is gone. The session counts as having proved a second one while one of those that it has proved is left. */
async function forgetFactor(tx: Tx, { sessionId }: SessionId, factorId: string): Promise<void> {
  const left = sql<string[]>`array_remove(second_factor_ids, ${factorId}::uuid)`
  await tx
    .updateTable('sessions')
    .set({
      second_factor_ids: left,
      second_factor_at: sql<string | null>`case when ${left} <> '{}' then second_factor_at end`,
    })
    .where('id', '=', sessionId)
    .execute()
}

/**
 * The account is locked, and its sessions are about to end. Those from before are the owner's; an intruder may have added the
 * others.
 */
export async function deleteFactorsSince(tx: Tx, accountId: string, since: string): Promise<void> {
  await tx
    .deleteFrom('second_factors')
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('confirmed_at', 'is', null), where('confirmed_at', '>=', since)]))
    .execute()
  const isLast = (await listFactors(tx, accountId)).length === 0
  await deleteRecoveryCodes(tx, accountId, isLast ? {} : { since })
}

/** The account is locked, and its sessions are about to end. Returns the kinds of those that counted. */
export async function deleteAllFactors(tx: Tx, accountId: string): Promise<string[]> {
  const factors = await listFactors(tx, accountId)
  await tx.deleteFrom('second_factors').where('account_id', '=', accountId).execute()
  await deleteRecoveryCodes(tx, accountId)
  return factors.map(({ kind }) => kind)
}

/** The ways in which the account can prove its second factor. Empty: it has none. */
export async function findFactorMethods(tx: Tx, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ methods: string[] }>`select factor_methods(${accountId}) as methods`.execute(tx)
  return rows[0]?.methods ?? []
}
