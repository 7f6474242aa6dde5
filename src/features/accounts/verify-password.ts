import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Hasher } from '../../lib/hashing.ts'
import { problem } from '../../problems.ts'
import { type Account, lockOwnAccount } from './accounts.ts'
import { hashesOf, type Match, match, stillHolds } from './passwords.ts'
import { assertNotBlocked, clearAttempts, countAttempt, isKnownNetwork } from './sign-in-attempts.ts'

/**
 * Whoever is signed in tells the password in force again: a session alone is not enough. Slow, so ahead of the
 * transaction, which then takes hold of what was proven. `work` is done in the same turn: a second one could be refused
 * because too many wait.
 */
export async function verifyPassword<Result>(
  { database, hashing }: Deps,
  actor: Actor,
  password: string,
  work: (proven: Match, hasher: Hasher) => Promise<Result>,
): Promise<Result> {
  const { accountId, email } = actor
  const isKnown = await isKnownNetwork(database, actor)
  await assertNotBlocked(database, email, isKnown)
  return hashing.run(actor, { isKnown }, async (hasher) => {
    await countAttempt(database, email, isKnown)
    const hashes = await hashesOf(database.autocommit(asAccount(accountId)), accountId)
    const proven = await match(hasher, hashes, password)
    if (!proven) throw problem('current_password_wrong')
    await clearAttempts(database.autocommit(asAnyone), email)
    return work(proven, hasher)
  })
}

/** In the account's own scope: the session lives, and the password is still the one that was proven. */
export async function lockVerifiedPassword(tx: Tx, actor: Actor, proven: Match): Promise<Account> {
  const account = await lockOwnAccount(tx, actor)
  if (!(await stillHolds(tx, actor.accountId, proven))) throw problem('current_password_wrong')
  return account
}
