import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { lockAccount } from '../accounts/accounts.ts'
import { type AccountToSignIn, findByEmail } from '../accounts/find-by-email.ts'
import { assertNotBlocked, clearPasswordAttempts, countPasswordAttempt } from '../accounts/password-attempts.ts'
import {
  deleteTemporaryPasswords,
  findMatchingPassword,
  isPasswordStillValid,
  type PasswordKind,
  type StoredPassword,
} from '../accounts/passwords.ts'
import { createSession } from '../accounts/sessions.ts'
import { createTokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { Credentials, SignedIn } from './schemas.ts'
import { findSessionContext } from './session-context.ts'

/** An unknown address and a wrong password get the same response after the same work. */
export async function signIn(deps: Deps, { email, password }: Credentials, caller: RequestInfo): Promise<SignedIn> {
  const { database, hashing } = deps
  const { account, blockedSeconds } = await findByEmail(database, email, caller.network)
  const isKnown = account?.isNetworkKnown ?? false
  assertNotBlocked(blockedSeconds, isKnown)
  const matched = await hashing.run(caller, { isKnown }, async (hasher) => {
    await countPasswordAttempt(database, email, isKnown)
    return findMatchingPassword(hasher, account?.passwords ?? [], password)
  })
  if (!account || !matched) throw credentialsWrong(email, account)

  try {
    return await database.write(asAccount(account.id), (tx) =>
      startSession(deps, tx, { ...account, email }, matched, caller),
    )
  } catch (error) {
    // The transaction would have cleared them: what fails after the verification was not a wrong password.
    await clearPasswordAttempts(database.autocommit(asAnyone), email)
    throw error
  }
}

/**
 * The kinds of passwords that a sign-in makes obsolete. An owner who signs in with their own password does not need one
 * that was emailed in addition.
 */
const OBSOLETE_AFTER: Record<PasswordKind, PasswordKind[]> = {
  chosen: ['temporary', 'second'],
  temporary: ['second'],
  second: [],
}

/** All statements are sent together; each sees what those before it have locked and written. */
async function startSession(
  { keys }: Deps,
  tx: Tx,
  account: AccountToSignIn & { email: string },
  matched: StoredPassword,
  caller: RequestInfo,
): Promise<SignedIn> {
  const { id: accountId, name, email } = account
  const sessionId = newId()
  const subject = { type: 'session', id: sessionId, label: '' } as const
  const obsolete = account.passwords.filter(({ kind }) => OBSOLETE_AFTER[matched.kind].includes(kind))
  const [isStillValid, session, context] = await Promise.all([
    lockPassword(tx, accountId, matched, obsolete),
    createSession(tx, accountId, caller, { id: sessionId, mustChangePassword: matched.kind !== 'chosen' }),
    findSessionContext(tx, accountId, sessionId),
    record(tx, { ...caller, accountId, name, email }, 'sessions.create', subject),
    clearPasswordAttempts(tx, email),
  ])
  // The account may have changed its password or its address, or have been disabled, while the password was verified.
  if (!isStillValid || context?.user.email !== email) throw credentialsWrong(email, account)
  return { ...context, ...createTokenPair(keys, session) }
}

async function lockPassword(
  tx: Tx,
  accountId: string,
  matched: StoredPassword,
  obsolete: readonly StoredPassword[],
): Promise<boolean> {
  if (obsolete.length === 0) return isPasswordStillValid(tx, accountId, matched)
  const [, isStillValid] = await Promise.all([
    lockAccount(tx, accountId),
    isPasswordStillValid(tx, accountId, matched),
    deleteTemporaryPasswords(tx, accountId, OBSOLETE_AFTER[matched.kind]),
  ])
  return isStillValid
}

function credentialsWrong(email: string, account: AccountToSignIn | undefined) {
  return problem('credentials_wrong', { subject: accountSubject({ id: account?.id ?? '', email }) })
}
