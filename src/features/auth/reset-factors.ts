import type { RequestInfo } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount, asAnyone, byLinkTo } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { problem } from '../../problems.ts'
import { lockAccount } from '../accounts/accounts.ts'
import {
  type DueFactorReset,
  type FactorReset,
  findDueFactorResets,
  findFactorReset,
  getAccountOfFactorReset,
  insertFactorReset,
  takeFactorReset,
} from '../accounts/factors/factor-resets.ts'
import { deleteAllFactors } from '../accounts/factors/factors.ts'
import { getLinkId } from '../accounts/links.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { noteIn } from './disable-account.ts'

export interface AnnouncedReset {
  /** False: it was announced before, and nothing was done. */
  isChanged: boolean
  /** Not before when the factors are removed. */
  dueAt: string
}

/**
 * For an operator: announces by email that all second factors of the account will be removed, for an owner who has lost them.
 * The owner can cancel it until then. Who asks an operator may be an intruder who knows the password alone.
 */
export async function announceFactorReset(
  database: Database,
  operator: AuditActor,
  accountId: string,
  reason: string | undefined,
): Promise<AnnouncedReset> {
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account.has_second_factor)
      throw new OperatorError('second_factor_missing', `${account.email} has no second factor.`)
    const pending = await findFactorReset(tx, accountId)
    if (pending) return { isChanged: false, dueAt: pending }

    const asked = { operatorName: operator.name ?? '', requestId: operator.requestId, reason: reason ?? null }
    const { id, due_at } = await insertFactorReset(tx, account, asked)
    const params = { until: due_at, timezone: account.timezone, linkId: id }
    await enqueueEmail(tx, 'factor_reset_announced', account, params)
    await record(tx, operator, 'factors.announce_reset', accountSubject(account), noteIn(reason))
    return { isChanged: true, dueAt: due_at }
  })
}

/** For an operator. False: none was pending. */
export async function withdrawFactorReset(
  database: Database,
  operator: AuditActor,
  accountId: string,
  reason: string | undefined,
): Promise<boolean> {
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!(await takeFactorReset(tx, { accountId }))) return false
    await record(tx, operator, 'factors.cancel_reset', accountSubject(account), noteIn(reason))
    return true
  })
}

/** For the owner of the account, by the link in the email. Nothing else changes. */
export async function cancelFactorReset({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const id = getLinkId(keys, token)
  const holder = await getAccountOfFactorReset(database.autocommit(asAnyone), id)
  await database.write(byLinkTo(holder, 'keep_factors'), async (tx) => {
    const account = await lockAccount(tx, await getAccountOfFactorReset(tx, id))
    if (!(await takeFactorReset(tx, { accountId: account.id, id }))) throw problem('link_invalid')
    const owner = { ...caller, accountId: account.id, name: account.name, email: account.email }
    await record(tx, owner, 'factors.cancel_reset', accountSubject(account))
  })
}

/** For the page of the link, before anything is cancelled. Locks nothing. */
export async function checkFactorReset({ database, keys }: Deps, token: string): Promise<void> {
  await getAccountOfFactorReset(database.autocommit(asAnyone), getLinkId(keys, token))
}

interface CarryingOut {
  signal: AbortSignal
  onReset(accountId: string): void
  /** The owner may not have been able to cancel it, so it is not carried out; an operator can announce it anew. */
  onLapse(accountId: string): void
  onFailure(error: Error, accountId: string): void
}

/** For the worker. Any number of nodes may do this at the same time: each reset is carried out once. */
export async function carryOutFactorResets(
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  { signal, onReset, onLapse, onFailure }: CarryingOut,
): Promise<void> {
  for (const reset of await findDueFactorResets(database, keys)) {
    if (signal.aborted) return
    try {
      const outcome = await carryOut(database, reset)
      if (outcome === 'done') onReset(reset.accountId)
      if (outcome === 'lapsed') onLapse(reset.accountId)
    } catch (error) {
      onFailure(error as Error, reset.accountId)
    }
  }
}

/**
 * Undefined: it was cancelled or carried out meanwhile, or there is nothing to remove. Where the account has another address by now, or
 * the link in the email is worth nothing, the reset lapses: its owner was not told, or could not cancel it.
 */
async function carryOut(
  database: Database,
  { id, accountId, isCancellable }: DueFactorReset,
): Promise<'done' | 'lapsed' | undefined> {
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    const reset = await takeFactorReset(tx, { accountId, id })
    if (!reset) return undefined
    if (reset.email !== account.email || !isCancellable) return 'lapsed'
    const removed = await deleteAllFactors(tx, accountId)
    if (removed.length === 0) return undefined

    await revokeSessions(tx, accountId, 'second_factor_removed')
    await enqueueEmail(tx, 'factor_reset_done', account, {})
    const changes = { factors: { from: removed }, ...noteIn(reset.reason ?? undefined) }
    await record(tx, operatorOf(reset), 'factors.reset', accountSubject(account), changes)
    return 'done'
  })
}

/** Who has asked for it, as the record of the announcement says. */
const operatorOf = ({ operatorName, requestId }: FactorReset): AuditActor => ({
  kind: 'operator',
  ip: null,
  name: operatorName,
  userAgent: 'tenantry user reset-factor',
  requestId,
})
