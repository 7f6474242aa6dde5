import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Hasher } from '../../lib/hashing.ts'
import { problem } from '../../problems.ts'
import { type Account, lockOwnAccount } from './accounts.ts'
import {
  assertNotBlocked,
  clearPasswordAttempts,
  countPasswordAttempt,
  findBlockedSeconds,
  isKnownNetwork,
  tooManyPasswords,
} from './password-attempts.ts'
import { findMatchingPassword, findPasswords, isPasswordStillValid, type StoredPassword } from './passwords.ts'

/**
 * The limit of routes that ask a signed-in account for its password: in a network that the account knows the right one is never refused,
 * so nothing else slows guesses down there.
 */
export const PASSWORD_CHECKS = { name: 'password-check', requests: 10, perSeconds: 60, by: 'session' } as const

/**
 * Asks a signed-in account for its password again, where a session alone is not enough. Verification is slow, so it runs
 * before the transaction, which then calls `lockVerifiedPassword`. `work` shares its turn in the hashing queue, because a
 * second turn could be refused when too many requests wait.
 */
export async function verifyPassword<Result>(
  { database, hashing }: Deps,
  actor: Actor,
  password: string,
  work: (verified: StoredPassword, hasher: Hasher) => Promise<Result>,
): Promise<Result> {
  const { accountId, email } = actor
  const [isKnown, blockedSeconds] = await Promise.all([
    isKnownNetwork(database, actor),
    findBlockedSeconds(database, email),
  ])
  assertNotBlocked(blockedSeconds, isKnown)
  return hashing.run(actor, { isKnown }, async (hasher) => {
    const [passwords, isCounted] = await Promise.all([
      findPasswords(database.autocommit(asAccount(accountId)), accountId),
      countPasswordAttempt(database, email),
    ])
    if (!isCounted && !isKnown) throw await tooManyPasswords(database, email)
    const verified = await findMatchingPassword(hasher, passwords, password)
    if (!verified) throw isCounted ? problem('current_password_wrong') : await tooManyPasswords(database, email)
    await clearPasswordAttempts(database.autocommit(asAnyone), email)
    return work(verified, hasher)
  })
}

/** In the account's scope. Throws when the session was revoked or the password replaced since the verification. */
export async function lockVerifiedPassword(tx: Tx, actor: Actor, verified: StoredPassword): Promise<Account> {
  const [account, isStillValid] = await Promise.all([
    lockOwnAccount(tx, actor),
    isPasswordStillValid(tx, actor.accountId, verified),
  ])
  if (!isStillValid) throw problem('current_password_wrong')
  return account
}
