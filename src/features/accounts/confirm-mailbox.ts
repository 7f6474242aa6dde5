import type { Actor } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { limitsFor } from '../mail/outbox/enqueue.ts'
import { lockOwnAccount, markEmailVerified, type OwnAccount } from './accounts.ts'
import {
  type MailboxPurpose,
  markMailboxProved,
  PROVED_EMAIL,
  sendMailboxCode,
  tryMailboxCode,
  useMailboxCode,
} from './mailbox-codes.ts'
import type { MailboxConfirmation } from './schemas.ts'

/** Of a route that calls `confirmMailbox`. */
export const MAILBOX_PROBLEMS = ['mailbox_code_required', 'second_factor_wrong', 'email_limit_reached'] as const

/**
 * Called where an account gets something because its user reads the mailbox of its address. That the address is verified does
 * not say so: a stranger may have signed up with it, and its owner followed the link in the email. So the session that acts enters a
 * code from an email, once for each purpose. Throws after sending it. The transaction that follows asks again, with `assertMailboxProved`.
 */
export async function confirmMailbox(
  deps: Deps,
  actor: Actor,
  { emailCode: code }: MailboxConfirmation,
  purpose: MailboxPurpose,
): Promise<void> {
  if (await isProved(deps.database, actor, purpose)) return
  if (code === undefined) {
    await sendCode(deps, actor, purpose)
    throw problem('mailbox_code_required')
  }
  const id = await tryMailboxCode(deps, actor, { code, purpose })
  if (!id || !(await useCode(deps.database, actor, { id, purpose }))) throw problem('second_factor_wrong')
}

/** Before the first factor alone: a further one is guarded by those that are there. */
export async function confirmMailboxForFactor(
  deps: Deps,
  actor: Actor,
  given: MailboxConfirmation = {},
): Promise<void> {
  const account = await deps.database
    .autocommit(asAccount(actor.accountId))
    .selectFrom('accounts')
    .select('has_second_factor')
    .where('id', '=', actor.accountId)
    .executeTakeFirst()
  if (!account?.has_second_factor) await confirmMailbox(deps, actor, given, 'factor')
}

/** Under the account's lock: the address may have changed since the code, or the last factor be gone that stood in for it. */
export function assertMailboxProved(
  { email, provedEmails }: Pick<OwnAccount, 'email' | 'provedEmails'>,
  purpose: MailboxPurpose,
): void {
  if (provedEmails[purpose] !== email) throw problem('mailbox_code_required')
}

async function isProved(
  database: Database,
  { accountId, sessionId }: Actor,
  purpose: MailboxPurpose,
): Promise<boolean> {
  const session = await database
    .autocommit(asAccount(accountId))
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select('sessions.id')
    .where('sessions.id', '=', sessionId)
    .whereRef(`sessions.${PROVED_EMAIL[purpose]}`, '=', 'accounts.email')
    .executeTakeFirst()
  return session !== undefined
}

async function sendCode({ config, database }: Deps, actor: Actor, purpose: MailboxPurpose): Promise<void> {
  await database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    await sendMailboxCode(tx, limitsFor(config.emailLimits, actor), actor, { to: account, purpose })
  })
}

async function useCode(
  database: Database,
  actor: Actor,
  { id, purpose }: { id: string; purpose: MailboxPurpose },
): Promise<boolean> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { email, password_shown_at } = await lockOwnAccount(tx, actor)
    if (!(await useMailboxCode(tx, actor, id, email))) return false

    await markMailboxProved(tx, actor, { email, purpose })
    // The code proves this session alone: a password that an administrator has seen still works in others.
    if (password_shown_at !== null) return true

    await markEmailVerified(tx, actor.accountId)
    await record(tx, actor, 'accounts.verify_email', accountSubject({ id: actor.accountId, email }))
    return true
  })
}
