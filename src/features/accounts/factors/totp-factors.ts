import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asAccount } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import type { Keys } from '../../../lib/keys.ts'
import { seal, unseal } from '../../../lib/sealed.ts'
import { createTotpSecret, findTotpStep } from '../../../lib/totp.ts'
import { problem } from '../../../problems.ts'
import { UNDER_LOCK } from '../under-lock.ts'
import { CONFIRMATION_MINUTES } from './factors.ts'

const TOTP_MAX = 2

/** A code of an app that was found to be right, by the step of time that it belongs to. */
export interface FoundCode {
  factorId: string
  step: number
}

/** The account is locked. The factor counts for nothing until a code of it confirms it, and replaces one that was never confirmed. */
export async function createTotp(
  tx: Tx,
  keys: Keys,
  accountId: string,
  name: string,
): Promise<{ id: string; secret: string }> {
  await tx
    .deleteFrom('second_factors')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is', null)
    .execute()
  await assertRoom(tx, accountId)
  const [id, secret] = [newId(), createTotpSecret()]
  await tx
    .insertInto('second_factors')
    .values({ id, account_id: accountId, kind: 'totp', name, secret: seal(keys, placeOf(id), secret) })
    .execute()
  return { id, secret }
}

async function assertRoom(tx: Tx, accountId: string): Promise<void> {
  const others = await tx
    .selectFrom('second_factors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is not', null)
    .execute()
  if (others.length >= TOTP_MAX) throw problem('factor_limit_reached')
}

/** Whether the factor still waits for its confirmation: then a stored response may show its secret again. */
export async function isPending(tx: Tx, factorId: string): Promise<boolean> {
  return (await pendingFactor(tx, factorId).executeTakeFirst()) !== undefined
}

const pendingFactor = (tx: Tx, factorId: string) =>
  tx
    .selectFrom('second_factors')
    .select(['id', 'secret'])
    .where('id', '=', factorId)
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is', null)
    .where('created_at', '>', sql<string>`now() - make_interval(mins => ${CONFIRMATION_MINUTES})`)

/** The account is locked. Throws unless the factor waits, and the code is its. The code opens nothing else. */
export async function confirmTotp(
  tx: Tx,
  keys: Keys,
  { accountId, factorId, code }: { accountId: string; factorId: string; code: string },
): Promise<void> {
  const pending = await pendingFactor(tx, factorId).where('account_id', '=', accountId).executeTakeFirst()
  if (!pending) throw problem('factor_not_found')
  const step = findTotpStep(unseal(keys, placeOf(factorId), pending.secret as Buffer), code)
  if (step === undefined) throw problem('second_factor_wrong')

  await tx
    .updateTable('second_factors')
    .set({ confirmed_at: UNDER_LOCK, last_used_at: UNDER_LOCK, last_step: step })
    .where('id', '=', factorId)
    .execute()
}

/** The factor whose code this is now. Whether it was used before shows only when it is used: see `useCode`. */
export async function findCode(
  { database, keys }: { database: Database; keys: Keys },
  accountId: string,
  code: string,
): Promise<FoundCode | undefined> {
  const factors = await database
    .autocommit(asAccount(accountId))
    .selectFrom('second_factors')
    .select(['id', 'secret'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is not', null)
    .execute()
  let failure: unknown
  for (const { id, secret } of factors) {
    try {
      const step = findTotpStep(unseal(keys, placeOf(id), secret as Buffer), code)
      if (step !== undefined) return { factorId: id, step }
    } catch (error) {
      // The secret can't be opened, which must not keep the account from using its other app.
      failure = error
    }
  }
  if (failure) throw failure
  return undefined
}

/** One conditional statement, so that a code works once, and none of before works after it. */
export async function useCode(tx: Tx, { factorId, step }: FoundCode): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ last_step: step, last_used_at: sql<string>`now()` })
    .where('id', '=', factorId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

const placeOf = (rowId: string) => ({ table: 'second_factors', column: 'secret', rowId })
