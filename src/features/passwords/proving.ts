import type { Actor } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/tenancy.ts'
import { problem } from '../../problems.ts'
import type { Service } from '../../service.ts'
import { type Account, lockOwnAccount } from '../accounts/users.ts'
import { countAttempt, signedInLatelyFrom } from '../sessions/attempts.ts'
import { hashesOf, type Match, match, stillHolds } from './passwords.ts'

/**
 * Whoever is signed in tells the password in force again: a session alone is not enough. Slow, so ahead of the
 * transaction, which then takes hold of what was proven and clears the count: until then it was a try to guess.
 */
export async function provePassword({ database, hashing }: Service, actor: Actor, password: string): Promise<Match> {
  const own = database.autocommit(asAccount(actor.accountId))
  await countAttempt(database, actor.email, await networkIsKnown(own, actor))
  const matched = await match(hashing, await hashesOf(own, actor.accountId), password)
  if (!matched) throw problem('current_password_wrong')
  return matched
}

/** In the account's own scope: the session lives, and the password is still the one that was proven. */
export async function holdProof(tx: Tx, actor: Actor, proven: Match): Promise<Account> {
  const account = await lockOwnAccount(tx, actor)
  if (!(await stillHolds(tx, actor.accountId, proven))) throw problem('current_password_wrong')
  return account
}

async function networkIsKnown(tx: Tx, { accountId, network }: Actor): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select(signedInLatelyFrom(network).as('known'))
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.known ?? false
}
