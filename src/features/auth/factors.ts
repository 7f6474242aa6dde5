import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { totpUri } from '../../lib/totp.ts'
import { problem } from '../../problems.ts'
import { cancelPendingEmail, lockOwnAccount, type OwnAccount } from '../accounts/accounts.ts'
import { assertMailboxProved, confirmMailboxForFactor } from '../accounts/confirm-mailbox.ts'
import { deleteFactor, getFactor, listFactors, renameFactor, renewRecoveryCodes } from '../accounts/factors/factors.ts'
import { areUnused, countRecoveryCodes, replaceRecoveryCodes } from '../accounts/factors/recovery-codes.ts'
import {
  assertFactorNotRequired,
  findRequiringCompanies,
  lockRequiringCompanies,
} from '../accounts/factors/required-factors.ts'
import type { Factor } from '../accounts/factors/schemas.ts'
import { confirmTotp, createTotp } from '../accounts/factors/totp-factors.ts'
import { revokeLinks } from '../accounts/links.ts'
import { provedCode, type SecondFactor } from '../accounts/proofs.ts'
import { renewProof } from '../accounts/sessions.ts'
import { type Changes, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { notifyOfFactor } from './factor-notices.ts'
import type { AddedFactor, Factors, NewTotp, RecoveryCodes } from './schemas.ts'

/** Also the name of an app that its owner did not name. */
const TOTP_NAME = 'App'

export async function getFactors({ database }: Deps, { accountId }: Actor): Promise<Factors> {
  const tx = database.autocommit(asAccount(accountId))
  const [factors, recoveryCodesLeft, required_by] = await Promise.all([
    listFactors(tx, accountId),
    countRecoveryCodes(tx, accountId),
    findRequiringCompanies(tx, accountId),
  ])
  return { factors, recoveryCodesLeft, required_by }
}

/** Gives the secret once, after the mailbox is confirmed. The factor counts from its confirmation on, by a code that shows that the app has the secret. */
export async function startTotp(
  deps: Deps,
  actor: Actor,
  { name = TOTP_NAME, ...given }: { name?: string | undefined; emailCode?: string | undefined },
): Promise<NewTotp> {
  const { config, database, keys } = deps
  await confirmMailboxForFactor(deps, actor, given)
  return database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    const { id, secret } = await createTotp(tx, keys, account.id, name)
    await recordFactor(tx, actor, 'factors.create', { kind: 'totp', name })
    return { id, secret, uri: totpUri(secret, { service: config.brand.name, account: account.email }) }
  })
}

export async function confirmFactor(deps: Deps, actor: Actor, factorId: string, code: string): Promise<AddedFactor> {
  await confirmMailboxForFactor(deps, actor)
  return deps.database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    await confirmTotp(tx, deps.keys, { accountId: account.id, factorId, code })
    return completeFactor(deps, tx, actor, account, provedCode(factorId))
  })
}

/**
 * What follows once a new factor is confirmed, whatever its kind: the session has proved it, and the first one comes with
 * recovery codes. The first one needs the mailbox at this moment, too: since the start the address may have changed, or the
 * factor be gone that stood in for the mailbox then. From now on a new address takes a factor, so one that waits lapses: a stolen
 * session may have asked for it.
 */
export async function completeFactor(
  { config }: Deps,
  tx: Tx,
  actor: Actor,
  account: OwnAccount,
  second: SecondFactor<string>,
): Promise<AddedFactor> {
  const isFirst = !account.has_second_factor
  const pendingEmail = isFirst ? account.pending_email : null
  if (isFirst) assertMailboxProved(account, 'factor')
  if (pendingEmail !== null) await cancelEmailChange(tx, account.id)
  const factor = await getFactor(tx, account.id, second.factorId)
  await renewProof(tx, actor, second)
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, account.id) : undefined
  await notifyOfFactor(tx, config, account, 'second_factor_added', { factor: factor.name })
  await recordFactor(
    tx,
    actor,
    'factors.confirm',
    factor,
    pendingEmail === null ? {} : { pending_email: { from: pendingEmail } },
  )
  return { factor, ...(recoveryCodes && { recoveryCodes }) }
}

async function cancelEmailChange(tx: Tx, accountId: string): Promise<void> {
  await cancelPendingEmail(tx, accountId)
  await revokeLinks(tx, accountId, ['change_email'])
}

export async function updateFactor(
  { database }: Deps,
  actor: Actor,
  factorId: string,
  { name }: { name: string },
): Promise<Factor> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { id } = await lockOwnAccount(tx, actor)
    const factor = await getFactor(tx, id, factorId)
    if (factor.name === name) return factor

    await renameFactor(tx, factorId, name)
    const renamed = { name: { from: factor.name, to: name } }
    await recordFactor(tx, actor, 'factors.update', { kind: factor.kind, name }, renamed)
    return { ...factor, name }
  })
}

/** The last one stays while a company asks for it: so the last owner whom a policy lets in can't lock the company. */
export async function removeFactor(
  { config, database }: Deps,
  actor: Actor,
  factorId: string,
): Promise<{ id: string }> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    await lockRequiringCompanies(tx)
    const account = await lockOwnAccount(tx, actor)
    const factor = await getFactor(tx, account.id, factorId)
    const isLast = (await listFactors(tx, account.id)).length === 1
    if (isLast) await assertFactorNotRequired(tx, account.id)

    await deleteFactor(tx, actor, factorId, { isLast })
    await notifyOfFactor(tx, config, account, 'second_factor_removed', { factor: factor.name })
    await recordFactor(tx, actor, 'factors.delete', factor)
    return { id: factorId }
  })
}

/** The codes of before no longer work, and the sessions that they have opened end, except this one. */
export async function createRecoveryCodes({ config, database }: Deps, actor: Actor): Promise<RecoveryCodes> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    if (!account.has_second_factor) throw problem('factor_not_found')

    const recoveryCodes = await renewRecoveryCodes(tx, actor)
    await notifyOfFactor(tx, config, account, 'recovery_codes_created', {})
    await recordFactor(tx, actor, 'factors.create_recovery_codes')
    return { recoveryCodes }
  })
}

/** A stored response may show the codes in it again while all of them still work. */
export async function showsUnusedCodes(
  { database }: Deps,
  { recoveryCodes = [] }: { recoveryCodes?: string[] | undefined },
  accountId = '',
): Promise<boolean> {
  return recoveryCodes.length === 0 || areUnused(database.autocommit(asAccount(accountId)), accountId, recoveryCodes)
}

type FactorAction = `factors.${'create' | 'confirm' | 'update' | 'delete' | 'create_recovery_codes'}`

async function recordFactor(
  tx: Tx,
  actor: Actor,
  action: FactorAction,
  factor?: Pick<Factor, 'kind' | 'name'>,
  more: Changes = {},
): Promise<void> {
  const changes: Changes = factor ? { factor: { to: factor.kind }, name: { to: factor.name }, ...more } : more
  await record(tx, actor, action, accountSubject({ id: actor.accountId, email: actor.email }), changes)
}
