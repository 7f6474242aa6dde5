import type { Actor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { type Account, markEmailProven } from '../accounts/accounts.ts'
import { revokeLinks } from '../accounts/links.ts'
import { assertAcceptablePassword } from '../accounts/password-policy.ts'
import { setChosenPassword } from '../accounts/passwords.ts'
import { forgetNetworks, rememberNetwork, revokeSessions } from '../accounts/sessions.ts'
import { lockVerifiedPassword, verifyPassword } from '../accounts/verify-password.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueOrRefuse, noticeLimits } from '../mail/outbox/enqueue.ts'
import type { PasswordChange } from './schemas.ts'

/**
 * For whoever knows the password in force, a temporary one included. Ends every other session of the account, and leaves
 * no network but the caller's known.
 */
export async function changePassword(deps: Deps, actor: Actor, change: PasswordChange): Promise<void> {
  const { config, database } = deps
  const { currentPassword, newPassword } = change
  assertAcceptablePassword(newPassword, actor.email, config, 'newPassword')
  const { proven, hash } = await verifyPassword(deps, actor, currentPassword, async (proven, hasher) => {
    if (newPassword === currentPassword) throw problem('password_unchanged')
    return { proven, hash: await hasher.hash(newPassword) }
  })

  await database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockVerifiedPassword(tx, actor, proven)
    await setChosenPassword(tx, actor.accountId, hash)
    if (proven.provesEmail) await markEmailProven(tx, account.id)
    await afterChange(tx, actor, config, account)
  })
}

/** The same for a session that a temporary password opened, and only for one. */
export async function changeTemporaryPassword(deps: Deps, actor: Actor, change: PasswordChange): Promise<void> {
  // Bad input is told before anything about the account.
  assertAcceptablePassword(change.newPassword, actor.email, deps.config, 'newPassword')
  const session = await deps.database
    .autocommit(asAccount(actor.accountId))
    .selectFrom('sessions')
    .select('must_change_password')
    .where('id', '=', actor.sessionId)
    .executeTakeFirst()
  if (!session?.must_change_password) throw problem('no_temporary_password')
  return changePassword(deps, actor, change)
}

async function afterChange(tx: Tx, actor: Actor, { emailLimits }: Config, account: Account): Promise<void> {
  const { accountId, sessionId, network } = actor
  await revokeSessions(tx, accountId, 'password_changed', { except: sessionId })
  await tx.updateTable('sessions').set({ must_change_password: false }).where('id', '=', sessionId).execute()
  await revokeLinks(tx, accountId)
  await forgetNetworks(tx, accountId)
  await rememberNetwork(tx, accountId, network)
  // Beyond its bound the change is refused, never the notice alone: a thief could use up ten and change it unseen.
  await enqueueOrRefuse(tx, noticeLimits(emailLimits), 'password_changed', account, {})
  await record(tx, actor, 'passwords.change', accountSubject({ id: accountId, email: actor.email }))
}
