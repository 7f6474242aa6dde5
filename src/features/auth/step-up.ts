import type { Actor } from '../../access/actors.ts'
import { getProof } from '../../access/freshness.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { lockOwnAccount } from '../accounts/accounts.ts'
import { createChallenge, useChallenge } from '../accounts/challenges.ts'
import { type AttemptedFactor, countingWrongAlone, countStepUp, forgetAttempt } from '../accounts/factors/attempts.ts'
import { type CheckedFactor, checkFactor, useFactor } from '../accounts/factors/check-factor.ts'
import type { FactorAnswer } from '../accounts/factors/schemas.ts'
import { createPasskeyChallenge, requestOptions } from '../accounts/passkeys/options.ts'
import { findPasskeys } from '../accounts/passkeys/passkeys.ts'
import type { SecondFactor } from '../accounts/proofs.ts'
import { renewProof } from '../accounts/sessions.ts'
import { lockVerifiedPassword, verifyPassword } from '../accounts/verify-password.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { SteppedUp, StepUp, StepUpOptions } from './schemas.ts'

/** How the caller can prove who it is. Where a passkey can, the challenge for it. */
export async function startStepUp({ config, database, keys }: Deps, actor: Actor): Promise<StepUpOptions> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { methods } = await getProof(tx, actor)
    if (!methods.includes('passkey')) return { methods }
    const webauthn = createPasskeyChallenge()
    const challenge = await createChallenge(tx, keys, { ...asked(actor), accountId: actor.accountId, webauthn })
    return { methods, challenge, options: requestOptions(config, webauthn, await findPasskeys(tx, actor.accountId)) }
  })
}

/** What another session, or a sign-in, has asked for does not count here. */
const asked = ({ sessionId, network }: Actor) => ({ purpose: 'step_up', sessionId, network }) as const

/**
 * Makes the session fresh: it proves a second factor again or, where the account has none, its password. With a second factor
 * the password is worth nothing here, because a thief may know it.
 */
export async function stepUp(deps: Deps, actor: Actor, { currentPassword, ...answer }: StepUp): Promise<SteppedUp> {
  const { has_second_factor } = await getProof(deps.database.autocommit(asAccount(actor.accountId)), actor)
  if (has_second_factor === (currentPassword !== undefined)) throw wrong(actor)
  return currentPassword === undefined ? proveFactor(deps, actor, answer) : provePassword(deps, actor, currentPassword)
}

async function provePassword(deps: Deps, actor: Actor, password: string): Promise<SteppedUp> {
  const verified = await verifyPassword(deps, actor, password, async (verified) => verified)
  return deps.database.write(asAccount(actor.accountId), async (tx) => {
    const account = await lockVerifiedPassword(tx, actor, verified)
    if (account.has_second_factor) throw wrong(actor)
    return renew(tx, actor, undefined)
  })
}

async function proveFactor(
  deps: Deps,
  actor: Actor,
  { challenge, ...answer }: FactorAnswer & { challenge?: string | undefined },
): Promise<SteppedUp> {
  const { database, keys } = deps
  await countStepUp(database, actor.accountId)
  return countingWrongAlone(database, attemptOf(actor), async () => {
    const webauthn =
      challenge === undefined
        ? undefined
        : await database.write(asAccount(actor.accountId), (tx) => useChallenge(tx, keys, challenge, asked(actor)))
    const checked = await checkFactor(deps, actor.accountId, answer, webauthn && { webauthn })
    if (!checked) throw wrong(actor)
    return database.write(asAccount(actor.accountId), (tx) => useAndRenew(tx, actor, checked))
  })
}

const attemptOf = ({ accountId }: Actor): AttemptedFactor => ({ accountId, purpose: 'step_up' })

async function useAndRenew(tx: Tx, actor: Actor, checked: CheckedFactor): Promise<SteppedUp> {
  const second = await useFactor(tx, await lockOwnAccount(tx, actor), checked)
  if (!second) throw wrong(actor)

  const renewed = await renew(tx, actor, second)
  await forgetAttempt(tx, attemptOf(actor))
  return renewed
}

async function renew(tx: Tx, actor: Actor, second: SecondFactor | undefined): Promise<SteppedUp> {
  const { authenticated_at, second_factor_at } = await renewProof(tx, actor, second)
  await record(tx, actor, 'sessions.step_up', { type: 'session', id: actor.sessionId, label: '' })
  return { authenticated_at, ...(second_factor_at !== null && { second_factor_at }) }
}

const wrong = ({ accountId, email }: Actor) =>
  problem('second_factor_wrong', { subject: accountSubject({ id: accountId, email }) })
