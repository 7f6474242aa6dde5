import type { Actor } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { lockOwnAccount, markEmailVerified } from '../accounts/accounts.ts'
import { sendMailboxCode, tryMailboxCode, useMailboxCode } from '../accounts/mailbox-codes.ts'
import { isSettledNetwork, settleNetwork } from '../accounts/sessions.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { limitsFor } from '../mail/outbox/enqueue.ts'

/** Of a route that calls `confirmMailbox`. */
export const MAILBOX_PROBLEMS = ['mailbox_code_required', 'second_factor_wrong', 'email_limit_reached'] as const

/**
 * Called before the first second factor of an account is created. A factor survives a reset of the password, so an intruder
 * who knows only the password must not create one: where the address was never verified, or the account is new in this network, its
 * owner enters a code from an email. Throws after sending that email.
 */
export async function confirmMailbox(deps: Deps, actor: Actor, code: string | undefined): Promise<void> {
  if (await isConfirmed(deps.database, actor)) return
  if (code === undefined) {
    await sendCode(deps, actor)
    throw problem('mailbox_code_required')
  }
  const id = await tryMailboxCode(deps, actor, code)
  if (!id || !(await useCode(deps.database, actor, id))) throw problem('second_factor_wrong')
}

/** With a factor, that is what the route asks for. */
async function isConfirmed(database: Database, { accountId, network }: Actor): Promise<boolean> {
  const account = await database
    .autocommit(asAccount(accountId))
    .selectFrom('accounts')
    .select((fields) =>
      fields
        .or([
          fields('has_second_factor', '=', true),
          fields.and([fields('email_verified_at', 'is not', null), isSettledNetwork(network)]),
        ])
        .as('isConfirmed'),
    )
    .where('id', '=', accountId)
    .executeTakeFirst()
  return account?.isConfirmed === true
}

async function sendCode({ config, database }: Deps, actor: Actor): Promise<void> {
  await database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    await sendMailboxCode(tx, limitsFor(config.emailLimits, actor), actor, account)
  })
}

async function useCode(database: Database, actor: Actor, id: string): Promise<boolean> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { email } = await lockOwnAccount(tx, actor)
    if (!(await useMailboxCode(tx, actor, id, email))) return false

    await markEmailVerified(tx, actor.accountId)
    await settleNetwork(tx, actor)
    await record(tx, actor, 'accounts.verify_email', accountSubject({ id: actor.accountId, email }))
    return true
  })
}
