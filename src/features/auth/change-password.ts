import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { type Account, cancelPendingEmail, markCompromised, markRegained } from '../accounts/accounts.ts'
import { OF_ADDRESSES, revokeLinks } from '../accounts/links.ts'
import { assertAcceptablePassword, passwordClassOf } from '../accounts/password-policy.ts'
import { setChosenPassword } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { addKnownNetwork, deleteKnownNetworks } from '../accounts/sessions.ts'
import { lockVerifiedPassword, verifyPassword } from '../accounts/verify-password.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmailOrRefuse, noticeLimits } from '../mail/outbox/enqueue.ts'
import type { ChangedPassword, PasswordChange } from './schemas.ts'

/**
 * Needs the current password, which may be a temporary one. Revokes every other session of the account and every link that
 * was sent to it, and cancels a change of address that waits for one; only the caller's network stays known. `compromised`: ends
 * what an intruder may have left behind, too, and this session, of which an intruder may have a copy.
 */
export async function changePassword(deps: Deps, actor: Actor, change: PasswordChange): Promise<ChangedPassword> {
  const { config, database } = deps
  const { currentPassword, newPassword, compromised = false } = change
  assertAcceptablePassword(newPassword, actor.email, config, 'newPassword')
  const { verified, hash } = await verifyPassword(deps, actor, currentPassword, async (verified, hasher) => {
    if (newPassword === currentPassword) throw problem('password_unchanged')
    return { verified, hash: await hasher.hash(newPassword) }
  })

  await database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockVerifiedPassword(tx, actor, verified)
    // Sent together, in the order of locks.
    await Promise.all([
      setChosenPassword(tx, actor.accountId, hash),
      verified.verifiesEmail && markRegained(tx, account.id),
      compromised && markCompromised(tx, account.id),
      completeChange(tx, actor, config, account, {
        compromised,
        passwordClass: passwordClassOf(newPassword, actor.email, config),
      }),
    ])
  })
  return compromised ? { signedOut: true } : {}
}

/** Like `changePassword`, but only in a session that was created with a temporary password. */
export async function changeTemporaryPassword(
  deps: Deps,
  actor: Actor,
  change: PasswordChange,
): Promise<ChangedPassword> {
  // Invalid input is refused before the account is looked at.
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

async function completeChange(
  tx: Tx,
  actor: Actor,
  { emailLimits }: Config,
  account: Account,
  { compromised, passwordClass }: { compromised: boolean; passwordClass: number },
): Promise<void> {
  const { accountId, sessionId, network } = actor
  const { pending_email } = account
  await Promise.all([
    pending_email !== null && cancelPendingEmail(tx, accountId),
    revokeSessions(tx, accountId, 'password_changed', compromised ? {} : { except: sessionId }),
    // Where this session has ended as well, it is gone.
    tx
      .updateTable('sessions')
      .set({ must_change_password: false, password_class: classAfter(passwordClass) })
      .where('id', '=', sessionId)
      .execute(),
    // Who was shown a password keeps the reader of the mailbox from none.
    revokeLinks(tx, accountId, account.password_shown_at === null ? undefined : OF_ADDRESSES),
    deleteKnownNetworks(tx, accountId, { except: network }),
    addKnownNetwork(tx, accountId, network),
    // At the limit the change itself is refused. If only the notice were withheld, an intruder could use up the limit and
    // then change the password unnoticed.
    enqueueEmailOrRefuse(tx, noticeLimits(emailLimits), 'password_changed', account, {}),
    record(tx, actor, 'passwords.change', accountSubject({ id: accountId, email: actor.email }), {
      ...(pending_email !== null && { pending_email: { from: pending_email } }),
      ...(compromised && { compromised: { to: true } }),
    }),
  ])
}

/** A session that a passkey opened still does not depend on the password. */
const classAfter = (passwordClass: number) =>
  sql<number>`case when 'pwd' = any (methods) then ${passwordClass}::smallint else password_class end`
