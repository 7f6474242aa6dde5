import type { RequestInfo } from '../../access/actors.ts'
import { asAccount, asAnyoneFrom } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { PasskeyRequestOptions } from '../../lib/passkey-requests.ts'
import { problem } from '../../problems.ts'
import { findAndLockAccount } from '../accounts/accounts.ts'
import { createChallenge, useChallenge } from '../accounts/challenges.ts'
import { createPasskeyChallenge, requestOptions } from '../accounts/passkeys/options.ts'
import { type PasskeyAttempt, usePasskey, verifyPasskey } from '../accounts/passkeys/passkeys.ts'
import { withPasskeyAlone } from '../accounts/proofs.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { PasskeySignIn, SignedIn } from './schemas.ts'
import { startSession } from './start-session.ts'

const PURPOSE = { purpose: 'passkey_sign_in' } as const

/** Depends on no account, so it tells nothing of one: the person chooses a passkey, and the passkey says whose it is. */
export async function startPasskeySignIn(
  { config, database, keys }: Deps,
  { network }: RequestInfo,
): Promise<{ challenge: string; options: PasskeyRequestOptions }> {
  const webauthn = createPasskeyChallenge()
  const challenge = await database.write(asAnyoneFrom(network), (tx) =>
    createChallenge(tx, keys, { ...PURPOSE, webauthn, network }),
  )
  return { challenge, options: requestOptions(config, webauthn, []) }
}

/** A passkey is the whole sign-in: neither an address nor a password is asked for. */
export async function signInWithPasskey(
  deps: Deps,
  { challenge, credential }: PasskeySignIn,
  caller: RequestInfo,
): Promise<SignedIn> {
  const { database, keys } = deps
  const webauthn = await database.write(asAnyoneFrom(caller.network), (tx) =>
    useChallenge(tx, keys, challenge, PURPOSE),
  )
  if (!webauthn) throw passkeyWrong(undefined)
  const { account, passkey } = await verifyPasskey(deps, { webauthn }, credential)
  if (!passkey) throw passkeyWrong(account)
  return database.write(asAccount(passkey.accountId), async (tx) => {
    const account = await findAndLockAccount(tx, passkey.accountId)
    const used = account && !account.disabled_at ? await usePasskey(tx, passkey) : undefined
    const signedIn = account && used && (await startSession(deps, tx, account, withPasskeyAlone(used), caller))
    if (!signedIn) throw passkeyWrong(account)
    return signedIn
  })
}

const passkeyWrong = (account: PasskeyAttempt['account']) =>
  problem('second_factor_wrong', { subject: accountSubject(account ?? { id: '', email: '' }) })
