import type { Actor, CompanyActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, enterAccount, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { cancelPendingEmail, endVouchingOfShown, lockAccount, markPasswordShown } from '../accounts/accounts.ts'
import { deleteAllFactors } from '../accounts/factors/factors.ts'
import { OF_ADDRESSES, revokeLinks } from '../accounts/links.ts'
import {
  deleteChosenPassword,
  deleteTemporaryPasswords,
  hasPassword,
  type PreparedPassword,
  prepareTemporaryPassword,
  setSecondPassword,
  setTemporaryPassword,
} from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { deleteKnownNetworks } from '../accounts/sessions.ts'
import { addedBy, type CompanyContext } from '../mail/outbox/company-context.ts'
import { type EmailOptions, enqueueEmailOrRefuse, limitsFor } from '../mail/outbox/enqueue.ts'

/** Hashes a temporary password, unless the address has an account, which keeps its own. */
export async function prepareNewAccountPassword(
  deps: Deps,
  actor: Actor,
  email: string,
): Promise<PreparedPassword | undefined> {
  const known = await deps.database
    .autocommit(asAnyone)
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  return known ? undefined : prepareTemporaryPassword(deps, actor)
}

/** An account that does not exist yet, with the company’s language. */
export const newAccount = ({ name, email }: { name: string; email: string }, { locale }: CompanyContext) => ({
  id: newId(),
  email,
  name,
  locale,
  is_verified: false,
})

/**
 * Creates an account that this company manages, with the company’s time zone. Sends all statements at once: what is sent
 * after this call runs in the company again.
 */
export async function createManagedAccount(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits }: Config,
  account: { id: string; email: string; name: string; locale: string },
  company: CompanyContext,
  password: PreparedPassword,
): Promise<void> {
  const { id, email, name, locale } = account
  const params = { ...emailParams(company, password), ...addedBy(actor) }
  const options = emailOptions(password)
  await Promise.all([
    enterAccount(tx, id),
    tx
      .insertInto('accounts')
      .values({
        ...{ id, email, name, locale, name_folded: folded(name), timezone: company.timezone },
        ...{ managed_by: actor.companyId, must_change_password: true },
      })
      .execute(),
    setTemporaryPassword(tx, id, password),
    enqueueEmailOrRefuse(tx, limitsFor(emailLimits, actor), 'temporary_password', account, params, options),
    enterCompany(tx, actor.companyId, actor.accountId),
  ])
}

/**
 * Replaces every password of the account and revokes its sessions and its links but those for a new password: who has one reads the
 * mailbox, may not know the company, and could use none if each of its resets ended them. Without `emailed` the caller shows the new password.
 */
export async function replacePassword(
  tx: Tx,
  actor: CompanyActor,
  accountId: string,
  password: PreparedPassword,
  { emailed }: { emailed: boolean },
): Promise<void> {
  await inAccount(tx, actor, accountId, async () => {
    await deleteChosenPassword(tx, accountId)
    await deleteTemporaryPasswords(tx, accountId, ['second'])
    await setTemporaryPassword(tx, accountId, password, { shownTo: emailed ? null : actor.accountId })
    await revokeSessions(tx, accountId, 'password_reset')
    await revokeLinks(tx, accountId, OF_ADDRESSES)
    await cancelPendingEmail(tx, accountId)
    await deleteKnownNetworks(tx, accountId)
    await (emailed ? endVouchingOfShown : markPasswordShown)(tx, accountId)
  })
}

/** Removes every second factor of the account, and its recovery codes, and ends its sessions. Returns the kinds of the factors. */
export async function removeSecondFactors(tx: Tx, actor: CompanyActor, accountId: string): Promise<string[]> {
  let kinds: string[] = []
  await inAccount(tx, actor, accountId, async () => {
    kinds = await deleteAllFactors(tx, accountId)
    if (kinds.length > 0) await revokeSessions(tx, accountId, 'second_factor_removed')
  })
  return kinds
}

/** Adds a second password that works beside the account’s own until it is used, expires, or the own one signs in. */
export async function addSecondPassword(
  tx: Tx,
  actor: CompanyActor,
  accountId: string,
  password: PreparedPassword,
): Promise<void> {
  await inAccount(tx, actor, accountId, () => setSecondPassword(tx, accountId, password))
}

/** Whether the account has a password that works beside a second one. */
export async function keepsPassword(tx: Tx, actor: CompanyActor, accountId: string): Promise<boolean> {
  let keeps = false
  await inAccount(tx, actor, accountId, async () => {
    keeps = await hasPassword(tx, accountId)
  })
  return keeps
}

/** Locks the account and returns to the company’s scope. */
export async function lockAccountOf(tx: Tx, actor: CompanyActor, accountId: string): Promise<void> {
  await inAccount(tx, actor, accountId, async () => {})
}

async function inAccount(tx: Tx, actor: CompanyActor, accountId: string, work: () => Promise<void>): Promise<void> {
  await enterAccount(tx, accountId)
  await lockAccount(tx, accountId)
  await work()
  await enterCompany(tx, actor.companyId, actor.accountId)
}

export const emailParams = ({ name, timezone }: CompanyContext, { hours, kid }: PreparedPassword) => ({
  company: name,
  timezone,
  hours: String(hours),
  kid,
})

export const emailOptions = ({ secretId, hours }: PreparedPassword): EmailOptions => ({
  secretId,
  expiresAt: new Date(Date.now() + hours * 3_600_000),
})
