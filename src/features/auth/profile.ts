import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import { assertFresh, WITH_FACTOR } from '../../access/freshness.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { type Account, cancelPendingEmail, getUser, lockOwnAccount } from '../accounts/accounts.ts'
import { isEmailReserved } from '../accounts/email-change-undos.ts'
import { revokeLinks, sendLinkOrRefuse } from '../accounts/links.ts'
import type { User } from '../accounts/schemas.ts'
import { type Changes, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmailOrRefuse, limitsFor, noticeLimits } from '../mail/outbox/enqueue.ts'
import type { ProfileUpdate } from './schemas.ts'

export async function updateProfile(
  { config, database }: Deps,
  actor: Actor,
  { email, ...fields }: ProfileUpdate,
): Promise<User> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    const isNewEmail = email !== undefined && email !== account.email
    if (isNewEmail) await assertFresh(tx, actor, WITH_FACTOR)
    const changes = changesIn(account, fields)

    if (Object.keys(changes).length > 0) {
      await tx
        .updateTable('accounts')
        .set({ ...fields, ...(fields.name && { name_folded: folded(fields.name) }), updated_at: sql`now()` })
        .where('id', '=', account.id)
        .execute()
      await record(tx, actor, 'accounts.update', accountSubject(account), changes)
    }
    if (isNewEmail)
      await requestEmailChange(tx, actor, config.emailLimits, { ...account, ...withoutUndefined(fields) }, email)
    return getUser(tx, actor.accountId, actor.sessionId)
  })
}

export async function resendEmailChange({ config, database }: Deps, actor: Actor): Promise<void> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    if (!account.pending_email) throw problem('pending_email_not_found')

    const limits = limitsFor(config.emailLimits, actor)
    await sendLinkOrRefuse(tx, limits, account.id, 'change_email', { ...account, email: account.pending_email })
    await record(tx, actor, 'accounts.resend_email_change', accountSubject(account))
  })
}

export async function cancelEmailChange(database: Database, actor: Actor): Promise<void> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    if (!account.pending_email) throw problem('pending_email_not_found')

    await cancelPendingEmail(tx, account.id)
    await revokeLinks(tx, account.id, ['change_email'])
    await record(tx, actor, 'accounts.cancel_email_change', accountSubject(account), {
      pending_email: { from: account.pending_email },
    })
  })
}

/**
 * The change takes effect once the new address is verified; until then another account can still take that address. The
 * current address gets a notice.
 */
async function requestEmailChange(
  tx: Tx,
  actor: Actor,
  limits: EmailLimits,
  account: Account,
  newEmail: string,
): Promise<void> {
  const taken = await tx.selectFrom('accounts').select('id').where('email', '=', newEmail).executeTakeFirst()
  if (taken) throw problem('email_taken')
  if (await isEmailReserved(tx, newEmail, account.id)) throw problem('email_reserved')

  await tx.updateTable('accounts').set({ pending_email: newEmail }).where('id', '=', account.id).execute()
  await sendLinkOrRefuse(tx, limitsFor(limits, actor), account.id, 'change_email', { ...account, email: newEmail })
  // At the limit the change itself is refused, for the same reason as a change of the password.
  await enqueueEmailOrRefuse(tx, noticeLimits(limits), 'email_change_requested', account, { newEmail })
  await record(tx, actor, 'accounts.request_email_change', accountSubject(account), {
    pending_email: { from: account.pending_email, to: newEmail },
  })
}

function changesIn(account: Account, fields: Omit<ProfileUpdate, 'email'>): Changes {
  const changed = Object.entries(withoutUndefined(fields)).filter(
    ([name, value]) => account[name as keyof Account] !== value,
  )
  return Object.fromEntries(
    changed.map(([name, to]) => [name, isDocument(name) ? {} : { from: account[name as keyof Account], to }]),
  )
}

/** The audit log records that a document changed, but not its values. */
const isDocument = (name: string) => name.startsWith('document_')

const withoutUndefined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: NonNullable<Fields[Name]>
  }
