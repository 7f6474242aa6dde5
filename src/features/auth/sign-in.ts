import type { RequestInfo } from '../../access/actors.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { challengeToken } from '../../lib/secrets.ts'
import { Problem, type ProblemContext, problem } from '../../problems.ts'
import { findAndLockAccount } from '../accounts/accounts.ts'
import { findFactorMethods } from '../accounts/factors/factors.ts'
import { createSignInChallenge } from '../accounts/factors/sign-in-challenges.ts'
import { type AccountToSignIn, findByEmail } from '../accounts/find-by-email.ts'
import { createPasskeyChallenge, requestOptions } from '../accounts/passkeys/options.ts'
import { findPasskeys } from '../accounts/passkeys/passkeys.ts'
import {
  assertNotBlocked,
  clearPasswordAttempts,
  countPasswordAttempt,
  FIRST_BLOCK_SECONDS,
  tooManyPasswords,
} from '../accounts/password-attempts.ts'
import { passwordClassOf } from '../accounts/password-policy.ts'
import {
  deleteTemporaryPasswords,
  findMatchingPassword,
  isPasswordStillValid,
  type StoredPassword,
} from '../accounts/passwords.ts'
import { type FirstFactor, type Proof, provedPassword, withoutSecondFactor } from '../accounts/proofs.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { Credentials, SignedIn } from './schemas.ts'
import { OBSOLETE_AFTER, startSession } from './start-session.ts'

type Account = AccountToSignIn & { email: string }

/**
 * An unknown address and a wrong password get the same response after the same work. An account with a second factor gets a
 * challenge and nothing else: see `confirmSignIn`.
 */
export async function signIn(deps: Deps, { email, password }: Credentials, caller: RequestInfo): Promise<SignedIn> {
  const { database } = deps
  const { account: found, ...network } = await findByEmail(database, email, caller.network)
  const account = found && { ...found, email }
  const matched = await matchPassword(deps, { email, password }, account, network, caller)
  if (!account || !matched) throw credentialsWrong(email, account)

  try {
    const passwordClass = passwordClassOf(password, email, deps.config)
    const first = provedPassword(matched, passwordClass)
    const proof = withoutSecondFactor(first, account) ?? (await challengeOrProof(deps, account, matched, first, caller))
    if (proof instanceof Problem) throw proof
    const open = (proved: typeof proof) =>
      database.write(asAccount(account.id), (tx) => openSession(deps, tx, account, { matched, proof: proved }, caller))
    return await open(proof).catch(async (error) => {
      // The database opens no session without a factor that was confirmed meanwhile; it may be removed again by now.
      if (problemFromDatabase(error)?.code !== 'second_factor_required') throw error
      const answer = await challengeOrProof(deps, account, matched, first, caller)
      if (answer instanceof Problem) throw answer
      return open(answer)
    })
  } catch (error) {
    // The transaction would have cleared them: what fails after the verification was not a wrong password.
    await clearPasswordAttempts(database.autocommit(asAnyone), email)
    throw error
  }
}

/**
 * While the address is blocked, the right password still works in a network that the account knows. Nothing else may tell which
 * accounts know the network: so where any account does, a blocked attempt takes as long for each address, and a wrong password gets the
 * same refusal, also in the account's own network. It tells a short wait, because it may have met the owner, who has to try again.
 */
async function matchPassword(
  { database, hashing }: Deps,
  { email, password }: Credentials,
  account: Account | undefined,
  { isNetworkUsed, blockedSeconds }: { isNetworkUsed: boolean; blockedSeconds: number },
  caller: RequestInfo,
): Promise<StoredPassword | undefined> {
  const isKnown = account?.isNetworkKnown ?? false
  assertNotBlocked(blockedSeconds, isNetworkUsed)
  return hashing.run(caller, { isKnown }, async (hasher) => {
    const isCounted = await countPasswordAttempt(database, email)
    if (!isCounted && !isNetworkUsed) throw await tooManyPasswords(database, email)
    const usable = isCounted || isKnown ? account?.passwords : undefined
    const matched = await findMatchingPassword(hasher, usable ?? [], password)
    if (!isCounted && !matched) throw await tooManyPasswords(database, email, FIRST_BLOCK_SECONDS)
    return matched
  })
}

/** All statements are sent together; each sees what those before it have locked and written. */
async function openSession(
  deps: Deps,
  tx: Tx,
  account: Account,
  { matched, proof }: { matched: StoredPassword; proof: Proof },
  caller: RequestInfo,
): Promise<SignedIn> {
  const [isStillValid, signedIn] = await Promise.all([
    lockPassword(tx, account, matched),
    startSession(deps, tx, account, proof, caller),
    clearPasswordAttempts(tx, account.email),
  ])
  // The account may have changed its password or its address, or have been disabled, while the password was verified. Where it was
  // deleted, the foreign key of the session has refused it.
  if (!isStillValid || !signedIn) throw credentialsWrong(account.email, account)
  return signedIn
}

async function lockPassword(tx: Tx, { id, passwords }: Account, matched: StoredPassword): Promise<boolean> {
  const obsolete = OBSOLETE_AFTER[matched.kind]
  const [, isStillValid] = await Promise.all([
    findAndLockAccount(tx, id),
    isPasswordStillValid(tx, id, matched),
    passwords.some(({ kind }) => obsolete.includes(kind)) && deleteTemporaryPasswords(tx, id, obsolete),
  ])
  return isStillValid
}

/**
 * The refusal of a right password of an account with a second factor. Where the last one was removed while the password was
 * verified, nothing could answer a challenge: the password is enough then.
 */
async function challengeOrProof(
  { config, database, keys }: Deps,
  account: Account,
  matched: StoredPassword,
  first: FirstFactor,
  { network }: RequestInfo,
): Promise<Proof | Problem> {
  return database.write(asAccount(account.id), async (tx) => {
    const locked = await findAndLockAccount(tx, account.id)
    const isStillValid = await isPasswordStillValid(tx, account.id, matched)
    if (!locked || !isStillValid || locked.disabled_at || locked.email !== account.email)
      throw credentialsWrong(account.email, account)
    const proof = withoutSecondFactor(first, { hasSecondFactor: locked.has_second_factor })
    if (proof) return proof

    const signIn = { kind: matched.kind, passwordClass: first.passwordClass, network }
    const challenge = await createChallenge({ config, keys }, tx, account.id, signIn)
    return problem('second_factor_required', { challenge, subject: accountSubject(account) })
  })
}

async function createChallenge(
  { config, keys }: Pick<Deps, 'config' | 'keys'>,
  tx: Tx,
  accountId: string,
  signIn: Pick<StoredPassword, 'kind'> & { passwordClass: number | null; network: string },
): Promise<NonNullable<ProblemContext['challenge']>> {
  const methods = await findFactorMethods(tx, accountId)
  const passkeys = methods.includes('passkey') ? await findPasskeys(tx, accountId) : []
  const webauthn = passkeys.length > 0 ? createPasskeyChallenge() : null
  const { id, expires_at } = await createSignInChallenge(tx, accountId, { ...signIn, webauthn })
  const passkeyOptions = webauthn && requestOptions(config, webauthn, passkeys)
  return { token: challengeToken(keys, id), methods, expires_at, ...(passkeyOptions && { passkeyOptions }) }
}

function credentialsWrong(email: string, account: AccountToSignIn | undefined) {
  return problem('credentials_wrong', { subject: accountSubject({ id: account?.id ?? '', email }) })
}
