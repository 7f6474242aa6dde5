import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn, authorityOf, covers, type RoleGrant } from '../../access/authority.ts'
import { getMembership, type Membership } from '../../access/memberships.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { PreparedPassword } from '../accounts/passwords.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmailWithinLimits, limitsFor } from '../mail/outbox/enqueue.ts'
import { addSecondPassword, emailOptions, emailParams, lockAccountOf, replacePassword } from './managed-accounts.ts'

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
  const target = await lockTarget(tx, actor, userId)
  const authorities = await listPasswordResetAuthorities(tx, actor, target.id)
  if (!canReplacePassword(actor, target, authorities)) throw problem('account_not_managed')

  await replacePassword(tx, actor, target.id, password, { emailed: false })
  await record(tx, actor, 'users.reset_password', memberSubject(target))
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
): Promise<{ emailed: boolean }> {
  const { id } = await lockTarget(tx, actor, userId)
  // Read again under the account's lock: the address may have changed while this waited for it.
  const target = await getMembership(tx, id)
  const replaces = canReplacePassword(actor, target, await listPasswordResetAuthorities(tx, actor, target.id))

  const company = await getCompanyContext(tx)
  const params = { ...emailParams(company, password), replaces: replaces ? 'yes' : 'no' } as const
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
  return { emailed }
}

async function lockTarget(tx: Tx, actor: CompanyActor, userId: string): Promise<Membership> {
  const target = await getMembership(tx, userId)
  assertCanActOn(actor, target)
  // Locked before the following check, so that no other company changes what the check reads.
  await lockAccountOf(tx, actor, target.id)
  return target
}

/** What the account and the actor hold in one company of the account. */
interface PasswordResetAuthority {
  created_it: boolean
  member_roles: RoleGrant[]
  /** Null: the actor has no access there. */
  own_permissions: Permission[] | null
  own_is_owner: boolean | null
}

async function listPasswordResetAuthorities(
  tx: Tx,
  { sessionId, ip }: CompanyActor,
  accountId: string,
): Promise<PasswordResetAuthority[]> {
  const { rows } = await sql<PasswordResetAuthority>`
    select created_it, member_roles, own_permissions, own_is_owner
    from password_reset_authority(${accountId}, ${sessionId}, ${ip})`.execute(tx)
  return rows
}

/**
 * The current company created the account and still has it as a member, and the actor could change it in every company
 * that it belongs to. Never the actor’s own account: that would set a password without knowing the current one.
 */
function canReplacePassword(actor: CompanyActor, target: Membership, authorities: PasswordResetAuthority[]): boolean {
  const isManaged = authorities.some(({ created_it }) => created_it)
  return isManaged && target.id !== actor.accountId && authorities.every(canTakeOver)
}

function canTakeOver({ member_roles, own_permissions, own_is_owner }: PasswordResetAuthority): boolean {
  const own = { permissions: new Set(own_permissions), isOwner: own_is_owner === true }
  return own.permissions.has('users:update') && covers(own, authorityOf(member_roles))
}
