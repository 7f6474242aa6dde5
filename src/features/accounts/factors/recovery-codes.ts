import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { CROCKFORD, toBase32 } from '../../../lib/base32.ts'
import { UNDER_LOCK } from '../under-lock.ts'

const CODES = 10
/** 120 bits, as 24 characters. */
const CODE_BYTES = 15

/** For an account that has lost its other factors: each works once. They are shown here and never again. */
export async function replaceRecoveryCodes(tx: Tx, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => toBase32(randomBytes(CODE_BYTES), CROCKFORD))
  await deleteRecoveryCodes(tx, accountId)
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ account_id: accountId, hash: hashOf(accountId, code), created_at: UNDER_LOCK })))
    .execute()
  return codes.map((code) => (code.match(/.{4}/g) as string[]).join('-'))
}

export async function deleteRecoveryCodes(
  tx: Tx,
  accountId: string,
  { since }: { since?: string } = {},
): Promise<void> {
  await tx
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since as string))
    .execute()
}

export async function countRecoveryCodes(tx: Tx, accountId: string): Promise<number> {
  const { left } = await tx
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('left'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return left
}

/** One conditional statement, so that a code works once. False: it is none, or was used. */
export async function useRecoveryCode(tx: Tx, accountId: string, code: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<string>`now()` })
    .where('account_id', '=', accountId)
    .where('hash', '=', hashOf(accountId, normalized(code)))
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Whether these codes of the account are its present ones, and none was used: then a stored response may show them again. */
export async function areUnused(tx: Tx, accountId: string, codes: readonly string[]): Promise<boolean> {
  const hashes = codes.map((code) => hashOf(accountId, normalized(code)))
  const found = await tx
    .selectFrom('recovery_codes')
    .select('hash')
    .where('account_id', '=', accountId)
    .where('hash', 'in', hashes)
    .where('used_at', 'is', null)
    .execute()
  return found.length === codes.length
}

/** As people type them: in any case, with dashes or without, and with characters that look like others. */
const normalized = (code: string) => code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')

/** Bound to the account. A code has 120 random bits, so a fast hash is enough: they are too many to try. */
const hashOf = (accountId: string, code: string) => createHash('sha256').update(accountId).update(code).digest()
