import type { CompanyActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { PreparedPassword } from '../accounts/passwords.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmailWithinLimits, limitsFor } from '../mail/outbox/enqueue.ts'
import { addSecondPassword, emailOptions, emailParams, keepsPassword, replacePassword } from './managed-accounts.ts'
import { canTakeOver, listAuthorities, lockManaged, lockTarget, recordInAll } from './reset-authority.ts'
import type { MailedPassword } from './schemas.ts'

/**
 * Replaces the password and shows the new one to the caller. That takes over the whole account, in every company that
 * it belongs to, so it needs a managed account and a caller who could change it in each of them.
 */
export async function resetPassword(
  tx: Tx,
  actor: CompanyActor,
  userId: string,
  password: PreparedPassword,
): Promise<{ temporaryPassword: string }> {
  const { target, authorities } = await lockManaged(tx, actor, userId)

  await replacePassword(tx, actor, target.id, password, { emailed: false })
  await recordInAll(tx, actor, authorities, 'users.reset_password', target)
  return { temporaryPassword: password.password }
}

/**
 * Emails a temporary password to the account’s owner. Where the caller could take over the account it replaces the
 * password. Any other account gets it as a second one, so that its owner is never locked out.
 */
export async function emailPassword(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits }: Config,
  userId: string,
  password: PreparedPassword,
): Promise<MailedPassword> {
  const target = await lockTarget(tx, actor, userId)
  const replaces = canTakeOver(actor, target, await listAuthorities(tx, actor, target.id))

  const company = await getCompanyContext(tx)
  const replaced = replaces ? 'yes' : (await keepsPassword(tx, actor, target.id)) ? 'no' : 'none'
  const params = { ...emailParams(company, password), replaces: replaced } as const
  const [bounds, reader] = [limitsFor(emailLimits, actor), withCompanyLocale(target, company)]
  const { retryAfterSeconds } = await enqueueEmailWithinLimits(
    tx,
    bounds,
    'password_reset',
    reader,
    params,
    emailOptions(password),
  )
  // A company that takes access from an account of its own must not have to wait for an email.
  if (retryAfterSeconds && !replaces) throw problem('email_limit_reached', { retryAfterSeconds })

  if (replaces) await replacePassword(tx, actor, target.id, password, { emailed: true })
  else await addSecondPassword(tx, actor, target.id, password)
  const emailed = retryAfterSeconds === undefined
  await record(tx, actor, 'users.email_password', memberSubject(target), {
    email: { to: emailed ? 'sent' : 'withheld' },
  })
  return { emailed, replaced: replaces }
}
