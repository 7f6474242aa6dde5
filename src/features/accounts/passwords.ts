import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Hasher } from '../../lib/hashing.ts'
import { newId } from '../../lib/ids.ts'
import { temporaryPassword } from '../../lib/secrets.ts'
import { isKnownNetwork } from './password-attempts.ts'

/** `second`: emailed beside a temporary password that is the only one. An account has at most two of the three. */
export type PasswordKind = 'chosen' | 'temporary' | 'second'

export interface StoredPassword {
  kind: PasswordKind
  hash: string
  /** The password was emailed, so a person who knows it reads the account's mailbox. */
  verifiesEmail: boolean
}

/**
 * A condition for rows of `passwords`: it has not expired, and who was shown it, if it was not emailed, still administers the
 * account.
 */
export const IS_USABLE = `(passwords.expires_at is null or passwords.expires_at > now())
  and (passwords.shown_to is null or passwords.emailed
    or is_shown_password_usable(passwords.shown_to, passwords.account_id, passwords.created_at))`
const isUsable = sql<boolean>`${sql.raw(IS_USABLE)}`

/** The passwords that sign in to the account now, at most two. */
export async function findPasswords(tx: Tx, accountId: string): Promise<readonly StoredPassword[]> {
  const rows = await tx
    .selectFrom('passwords')
    .select(['kind', 'hash', 'emailed as verifiesEmail'])
    .where('account_id', '=', accountId)
    .where(isUsable)
    .orderBy('kind')
    .execute()
  return rows
}

const CHECKS_MIN = 2

/** Without a match two hashes are always checked, so that the time does not reveal how many passwords there are. */
export async function findMatchingPassword(
  hasher: Hasher,
  passwords: readonly StoredPassword[],
  password: string,
): Promise<StoredPassword | undefined> {
  for (let index = 0; index < Math.max(CHECKS_MIN, passwords.length); index++)
    if (await hasher.verify(passwords[index]?.hash, password)) return passwords[index]
  return undefined
}

/** False: it was replaced during verification. The transaction has locked the account, so nothing replaces it until the end. */
export async function isPasswordStillValid(
  tx: Tx,
  accountId: string,
  { kind, hash }: Pick<StoredPassword, 'kind' | 'hash'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('passwords')
    .select('kind')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('hash', '=', hash)
    .where(isUsable)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Waits for sign-ins on nodes of version 0.2.0, which lock the password alone and not the account, until their sessions are there to
 * be revoked. What replaces or deletes the passwords does so anyway.
 */
export async function lockPasswords(tx: Tx, accountId: string): Promise<void> {
  await tx.selectFrom('passwords').select('kind').where('account_id', '=', accountId).forUpdate().execute()
}

/** Replaces every password of the account by this one. The caller ends the sessions that the former ones have opened. */
export async function setChosenPassword(tx: Tx, accountId: string, hash: string): Promise<void> {
  await Promise.all([
    // For forget_password_class: it would change these sessions before they end.
    sql`select set_config('app.knows_classes', 'yes', true)`.execute(tx),
    tx
      .insertInto('passwords')
      .values({ account_id: accountId, kind: 'chosen', hash })
      .onConflict((conflict) => conflict.columns(['account_id', 'kind']).doUpdateSet({ hash, created_at: sql`now()` }))
      .execute(),
    deleteTemporaryPasswords(tx, accountId),
    tx
      .updateTable('accounts')
      .set({ must_change_password: false })
      .where('id', '=', accountId)
      .where('must_change_password', '=', true)
      .execute(),
  ])
}

/** A temporary password, hashed before the transaction that stores it. */
export interface PreparedPassword {
  /** The mail worker derives the password from this id and the keys with this `kid`. */
  secretId: string
  kid: string
  password: string
  hash: string
  /** How long the password is valid. */
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
 * Replaces the temporary password of the same kind. It is emailed, and signing in with it verifies the address, unless an
 * administrator is shown it.
 */
export async function setTemporaryPassword(
  tx: Tx,
  accountId: string,
  { secretId, hash, hours }: PreparedPassword,
  { shownTo = null, kind = 'temporary' }: { shownTo?: string | null; kind?: 'temporary' | 'second' } = {},
): Promise<void> {
  const values = {
    hash,
    emailed: shownTo === null,
    secret_id: secretId,
    shown_to: shownTo,
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

/** Adds an emailed password beside the account's own, which stays valid. */
export async function setSecondPassword(tx: Tx, accountId: string, password: PreparedPassword): Promise<void> {
  const chosen = await tx
    .selectFrom('passwords')
    .select('kind')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'chosen')
    .executeTakeFirst()
  await setTemporaryPassword(tx, accountId, password, { kind: chosen ? 'temporary' : 'second' })
}

/** Whether the account has a password that a second one stands beside. */
export async function hasPassword(tx: Tx, accountId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('passwords')
    .select('kind')
    .where('account_id', '=', accountId)
    .where('kind', '!=', 'second')
    .where(isUsable)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether this temporary password is valid and the account has no chosen one. */
export async function isOnlyPassword({ database, keys }: Deps, accountId: string, password: string): Promise<boolean> {
  const rows = await database
    .autocommit(asAnyone)
    .selectFrom('passwords')
    .select(['kind', 'secret_id'])
    .where('account_id', '=', accountId)
    .where(isUsable)
    .execute()
  const isDerivedFrom = (secretId: string | null) =>
    secretId !== null && keys.accepted.some((keySet) => temporaryPassword(keySet, secretId) === password)
  return rows.every(({ kind }) => kind !== 'chosen') && rows.some(({ secret_id }) => isDerivedFrom(secret_id))
}

/** Leaves only temporary passwords, so that the account's next session must choose one. */
export async function deleteChosenPassword(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).where('kind', '=', 'chosen').execute()
  await tx.updateTable('accounts').set({ must_change_password: true }).where('id', '=', accountId).execute()
}

/** From now on no password opens the account, until its owner chooses one by an emailed link. */
export async function deletePasswords(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).execute()
}

export async function deleteTemporaryPasswords(
  tx: Tx,
  accountId: string,
  kinds: PasswordKind[] = ['temporary', 'second'],
): Promise<void> {
  await tx.deleteFrom('passwords').where('account_id', '=', accountId).where('kind', 'in', kinds).execute()
}
