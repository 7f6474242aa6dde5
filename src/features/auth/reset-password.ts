import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, byLinkTo } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { compromisedColumns, findAndLockAccount, HAS_OPENED_CREATOR, regainedColumns } from '../accounts/accounts.ts'
import { consumeLink, getLinkId, getValidLink, revokeLinks } from '../accounts/links.ts'
import { clearPasswordAttempts, isKnownNetwork } from '../accounts/password-attempts.ts'
import { assertAcceptablePassword } from '../accounts/password-policy.ts'
import { setChosenPassword } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { addKnownNetwork, deleteKnownNetworks } from '../accounts/sessions.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import type { PasswordReset } from './schemas.ts'

/**
 * Sets the password with an emailed link. Revokes all sessions and links of the account and deletes its known networks.
 * `compromised`: ends what an intruder may have left behind, too.
 */
export async function resetPassword(
  deps: Deps,
  { token, newPassword, compromised = false }: PasswordReset,
  caller: RequestInfo,
): Promise<void> {
  const { config, database, hashing, keys } = deps
  const linkId = getLinkId(keys, token)
  const { accountId, email } = await getValidLink(database.autocommit(asAnyone), linkId, ['reset_password'])
  assertAcceptablePassword(newPassword, email, config, 'newPassword')
  const isKnown = await isKnownNetwork(database, { accountId, network: caller.network })
  const hash = await hashing.run(caller, { isKnown }, (hasher) => hasher.hash(newPassword))

  await database.write(byLinkTo(accountId, 'reset'), async (tx) => {
    // Where the account was deleted meanwhile, its link is gone, too.
    await findAndLockAccount(tx, accountId)
    await consumeLink(tx, linkId, ['reset_password'])
    await setChosenPassword(tx, accountId, hash)
    await revokeSessions(tx, accountId, 'password_reset')
    await revokeLinks(tx, accountId)
    await completeReset(tx, accountId, compromised, caller)
  })
}

/** The link verifies the address. A pending change of address is canceled, because an intruder may have requested it. */
async function completeReset(tx: Tx, accountId: string, compromised: boolean, caller: RequestInfo): Promise<void> {
  const account = await tx
    .updateTable('accounts')
    .set({
      pending_email: null,
      // Another person may have been in the account, or have created it for this address, which a click on a link may have verified meanwhile.
      reset_by_link_at: compromised
        ? sql<string>`clock_timestamp()`
        : sql<string>`case when email_verified_at is null or regained_at is null or not ${HAS_OPENED_CREATOR}
            then clock_timestamp() else reset_by_link_at end`,
      ...regainedColumns,
      ...(compromised && compromisedColumns),
    })
    .where('id', '=', accountId)
    .returning(['id', 'email', 'name', 'locale'])
    .executeTakeFirstOrThrow()
  await clearPasswordAttempts(tx, account.email)
  await deleteKnownNetworks(tx, accountId, { except: caller.network })
  await addKnownNetwork(tx, accountId, caller.network)
  await enqueueEmail(tx, 'password_changed', account, {})
  const actor = { ...caller, accountId, name: account.name, email: account.email }
  const changes = compromised ? { compromised: { to: true } } : {}
  await record(tx, actor, 'passwords.reset', accountSubject({ id: accountId, email: account.email }), changes)
}
