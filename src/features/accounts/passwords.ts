import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Hasher } from '../../lib/hashing.ts'
import { newId } from '../../lib/ids.ts'
import { temporaryPassword } from '../../lib/secrets.ts'
import { isKnownNetwork } from './sign-in-attempts.ts'

/** `second`: mailed beside a temporary password that is the only one. Of the three an account has two at most. */
export type PasswordKind = 'chosen' | 'temporary' | 'second'

/** The password that somebody proved to know. */
export interface Match {
  kind: PasswordKind
  hash: string
  /** It came by mail: whoever knows it reads the account's mailbox. */
  provesEmail: boolean
}

/** The passwords that open an account at this moment: two at most. */
export type Hashes = readonly Match[]

export async function hashesOf(tx: Tx, accountId: string): Promise<Hashes> {
  const rows = await tx
    .selectFrom('passwords')
    .select(['kind', 'hash', 'emailed as provesEmail'])
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<string>`now()`)]))
    .orderBy('kind')
    .execute()
  return rows
}

const CHECKS = 2

/** Which of the passwords the text is. When it is none, two checks were made however many there are to compare with. */
export async function match(hasher: Hasher, hashes: Hashes, text: string): Promise<Match | undefined> {
  for (let index = 0; index < Math.max(CHECKS, hashes.length); index++)
    if (await hasher.verify(hashes[index]?.hash, text)) return hashes[index]
  return undefined
}

/**
 * Holds the password that was checked until the transaction ends; false: it was replaced while it was being checked.
 * What opens a session takes this first, so that a session can't slip past a change that ends them all.
 */
export async function stillHolds(
  tx: Tx,
  accountId: string,
  { kind, hash }: Pick<Match, 'kind' | 'hash'>,
): Promise<boolean> {
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
  await dropTemporaryPasswords(tx, accountId)
  await tx
    .updateTable('accounts')
    .set({ must_change_password: false })
    .where('id', '=', accountId)
    .where('must_change_password', '=', true)
    .execute()
}

/** A temporary password, hashed before the transaction in which it is put in force. */
export interface PreparedPassword {
  /** What the password is derived from when its letter leaves, and the key for it. */
  secretId: string
  kid: string
  password: string
  hash: string
  /** Hours that it holds. */
  hours: number
}

export async function prepareTemporaryPassword(deps: Deps, actor: Actor): Promise<PreparedPassword> {
  const { config, database, keys, hashing } = deps
  const secretId = newId()
  const password = temporaryPassword(keys.current, secretId)
  const isKnown = await isKnownNetwork(database, actor)
  return {
    secretId,
    kid: keys.current.kid,
    password,
    hash: await hashing.run(actor, { isKnown }, (hasher) => hasher.hash(password)),
    hours: config.temporaryPasswordHours,
  }
}

/**
 * Puts a temporary password in force in the place of the one before of its kind. `mailed`: using it proves the address.
 */
export async function setTemporaryPassword(
  tx: Tx,
  accountId: string,
  { secretId, hash, hours }: PreparedPassword,
  { mailed, kind = 'temporary' }: { mailed: boolean; kind?: 'temporary' | 'second' },
): Promise<void> {
  const values = {
    hash,
    emailed: mailed,
    secret_id: secretId,
    expires_at: sql<string>`now() + make_interval(hours => ${hours})`,
  }
  await tx
    .insertInto('passwords')
    .values({ account_id: accountId, kind, ...values })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'kind']).doUpdateSet({ ...values, created_at: sql`now()` }),
    )
    .execute()
}

/** Mails a password beside the one that the account has, which stays as it is, chosen or temporary. */
export async function setSecondPassword(tx: Tx, accountId: string, password: PreparedPassword): Promise<void> {
  const chosen = await tx
    .selectFrom('passwords')
    .select('kind')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'chosen')
    .executeTakeFirst()
  await setTemporaryPassword(tx, accountId, password, { mailed: true, kind: chosen ? 'temporary' : 'second' })
}

/** Whether the account's owner has still to choose a password, and the one that was shown is in force. */
export async function isOnlyPassword({ database, keys }: Deps, accountId: string, shown: string): Promise<boolean> {
  const rows = await database
    .autocommit(asAnyone)
    .selectFrom('passwords')
    .select(['kind', 'secret_id'])
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<string>`now()`)]))
    .execute()
  const isShown = (secretId: string | null) =>
    secretId !== null && keys.accepted.some((keySet) => temporaryPassword(keySet, secretId) === shown)
  return rows.every(({ kind }) => kind !== 'chosen') && rows.some(({ secret_id }) => isShown(secret_id))
}

/** From now on the temporary password is the only one. */
export async function dropChosenPassword(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).where('kind', '=', 'chosen').execute()
  await tx.updateTable('accounts').set({ must_change_password: true }).where('id', '=', accountId).execute()
}

export async function dropTemporaryPasswords(
  tx: Tx,
  accountId: string,
  kinds: PasswordKind[] = ['temporary', 'second'],
): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).where('kind', 'in', kinds).execute()
}
