import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import type { Hashing } from './hashing.ts'

export type PasswordKind = 'chosen' | 'temporary'

/** The password that somebody proved to know. */
export interface Match {
  kind: PasswordKind
  hash: string
}

/** The hashes that open an account at this moment. */
export interface Hashes {
  chosen: string | undefined
  temporary: string | undefined
}

export async function hashesOf(tx: Tx, accountId: string): Promise<Hashes> {
  const rows = await tx
    .selectFrom('passwords')
    .select(['kind', 'hash'])
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<string>`now()`)]))
    .execute()
  const hashOf = (kind: PasswordKind) => rows.find((row) => row.kind === kind)?.hash
  return { chosen: hashOf('chosen'), temporary: hashOf('temporary') }
}

/** Which of the passwords the text is. Without any, one check is made in vain. */
export async function match(hashing: Hashing, { chosen, temporary }: Hashes, text: string): Promise<Match | undefined> {
  const candidates = Object.entries({ chosen, temporary }) as [PasswordKind, string | undefined][]
  const known = candidates.filter(([, hash]) => hash !== undefined)
  if (known.length === 0) await hashing.verify(undefined, text)
  for (const [kind, hash] of known) {
    if (await hashing.verify(hash, text)) return { kind, hash: hash as string }
  }
  return undefined
}

/**
 * Holds the password that was checked until the transaction ends; false: it was replaced while it was being checked.
 * What opens a session takes this first, so that a session can't slip past a change that ends them all.
 */
export async function stillHolds(tx: Tx, accountId: string, { kind, hash }: Match): Promise<boolean> {
  const row = await tx
    .selectFrom('passwords')
    .select('kind')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('hash', '=', hash)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** From now on this is the account's password, and the only one. */
export async function setChosenPassword(tx: Tx, accountId: string, hash: string): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ account_id: accountId, kind: 'chosen', hash })
    .onConflict((conflict) => conflict.columns(['account_id', 'kind']).doUpdateSet({ hash, created_at: sql`now()` }))
    .execute()
  await dropTemporaryPassword(tx, accountId)
}

export async function dropTemporaryPassword(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).where('kind', '=', 'temporary').execute()
}
