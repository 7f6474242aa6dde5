import type { RequestInfo } from '../../access/actors.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { NIL_UUID } from '../../lib/ids.ts'
import { challengeIdFrom } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import { findAndLockAccount } from '../accounts/accounts.ts'
import { countingWrongAlone, forgetAttempt } from '../accounts/factors/attempts.ts'
import { type CheckedFactor, checkFactor, useFactor } from '../accounts/factors/check-factor.ts'
import {
  isChallengeOpen,
  type SignInChallenge,
  tryChallenge,
  useChallenge,
} from '../accounts/factors/sign-in-challenges.ts'
import type { PasskeyChallenge } from '../accounts/passkeys/passkeys.ts'
import { deleteTemporaryPasswords } from '../accounts/passwords.ts'
import { provedPassword, withSecondFactor } from '../accounts/proofs.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { SecondFactorProof, SignedIn } from './schemas.ts'
import { OBSOLETE_AFTER, startSession } from './start-session.ts'

/**
 * The second half of a sign-in. Whatever is wrong, the challenge or the answer, gets the same response after the same
 * statements, so that it tells nothing.
 */
export async function confirmSignIn(
  deps: Deps,
  { challenge: token, ...answer }: SecondFactorProof,
  caller: RequestInfo,
): Promise<SignedIn> {
  const challenge = await tryChallenge(deps.database, challengeIdFrom(deps.keys, token) ?? NIL_UUID)
  const accountId = challenge?.accountId ?? NIL_UUID
  const signedIn = await countingWrongAlone(deps.database, { accountId, purpose: 'sign_in' }, async () => {
    const checked = await checkFactor(deps, accountId, answer, challenge && passkeyChallengeOf(challenge))
    if (!challenge || !checked) throw wrong(challenge)
    return complete(deps, challenge, checked, caller)
  })
  if (!signedIn) throw wrong(challenge)
  return signedIn
}

/** Undefined: the account had no passkey. The challenge stays open after a wrong answer, so another one can be sent. */
function passkeyChallengeOf({ id, webauthn }: SignInChallenge): PasskeyChallenge | undefined {
  return webauthn === null ? undefined : { webauthn, isOpen: (tx) => isChallengeOpen(tx, id) }
}

/** Undefined: the challenge ended before, which is no wrong second factor. */
async function complete(
  deps: Deps,
  challenge: SignInChallenge,
  checked: CheckedFactor,
  caller: RequestInfo,
): Promise<SignedIn | undefined> {
  const { id, accountId, passwordKind, passwordClass, credentialsVersion } = challenge
  return deps.database.write(asAccount(accountId), async (tx) => {
    const account = await findAndLockAccount(tx, accountId)
    // The password, the address or the factors may have changed since the password was right; or a company that has the account as a
    // member has emailed a temporary password anew, by which it could use up the attempts of the owner otherwise.
    if (!account || account.disabled_at || account.credentials_version !== credentialsVersion) {
      await forgetAttempt(tx, { accountId, purpose: 'sign_in' })
      return undefined
    }
    await deleteTemporaryPasswords(tx, accountId, OBSOLETE_AFTER[passwordKind])
    const second = await useFactor(tx, account, checked)
    if (!second) throw wrong(challenge)

    const proof = withSecondFactor(provedPassword({ kind: passwordKind }, passwordClass), second)
    const signedIn = await startSession(deps, tx, account, proof, caller)
    if (!signedIn || !(await useChallenge(tx, id))) throw wrong(challenge)
    await forgetAttempt(tx, { accountId, purpose: 'sign_in' })
    return signedIn
  })
}

const wrong = (challenge: SignInChallenge | undefined) =>
  problem('second_factor_wrong', { subject: accountSubject({ id: challenge?.accountId ?? '', email: '' }) })
