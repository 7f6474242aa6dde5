import type { RequestInfo } from '../../access/actors.ts'
import { asAnyone, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { NIL_UUID } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { lockAccount } from '../accounts/accounts.ts'
import {
  assertNotBlocked,
  clearPasswordAttempts,
  countPasswordAttempt,
  hasRecentSignInFrom,
} from '../accounts/password-attempts.ts'
import {
  deleteTemporaryPasswords,
  findMatchingPassword,
  findPasswords,
  isPasswordStillValid,
  type PasswordKind,
  type StoredPassword,
} from '../accounts/passwords.ts'
import { createSession } from '../accounts/sessions.ts'
import { createTokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { Credentials, SignedIn } from './schemas.ts'
import { getSessionContext } from './session-context.ts'

/** An unknown address and a wrong password get the same response after the same work. */
export async function signIn(deps: Deps, { email, password }: Credentials, caller: RequestInfo): Promise<SignedIn> {
  const { database, hashing } = deps
  const account = await findByEmail(deps, email, caller.network)
  const isKnown = account?.isNetworkKnown ?? false
  await assertNotBlocked(database, email, isKnown)
  const matched = await hashing.run(caller, { isKnown }, async (hasher) => {
    await countPasswordAttempt(database, email, isKnown)
    return findMatchingPassword(hasher, account?.passwords ?? NO_PASSWORDS, password)
  })
  if (!account || !matched) throw credentialsWrong(email, account)
  await clearPasswordAttempts(database.autocommit(asAnyone), email)

  return database.write(asAnyone, async (tx) => {
    await enterAccount(tx, account.id)
    const obsolete = account.passwords.filter(({ kind }) => OBSOLETE_AFTER[matched.kind].includes(kind))
    if (obsolete.length > 0) await lockAccount(tx, account.id)
    if (!(await isPasswordStillValid(tx, account.id, matched))) throw credentialsWrong(email, account)
    if (obsolete.length > 0) await deleteTemporaryPasswords(tx, account.id, OBSOLETE_AFTER[matched.kind])
    const signedIn = await startSession(deps, tx, account, matched, caller)
    // The account may have changed its address while the password was verified.
    if (signedIn.user.email !== email) throw credentialsWrong(email, account)
    return signedIn
  })
}

const NO_PASSWORDS: readonly StoredPassword[] = []

/**
 * The kinds of passwords that a sign-in makes obsolete. An owner who signs in with their own password does not need one
 * that was emailed in addition.
 */
const OBSOLETE_AFTER: Record<PasswordKind, PasswordKind[]> = {
  chosen: ['temporary', 'second'],
  temporary: ['second'],
  second: [],
}

interface AccountWithPasswords {
  id: string
  name: string
  isNetworkKnown: boolean
  passwords: readonly StoredPassword[]
}

async function findByEmail(
  { database }: Deps,
  email: string,
  network: string,
): Promise<AccountWithPasswords | undefined> {
  const tx = database.autocommit(asAnyone)
  const account = await tx
    .selectFrom('accounts')
    .select(['id', 'name', hasRecentSignInFrom(network).as('isNetworkKnown')])
    .where('email', '=', email)
    .executeTakeFirst()
  // Queried for an unknown address too, so that both cases take the same time.
  const passwords = await findPasswords(tx, account?.id ?? NIL_UUID)
  return account && { ...account, passwords }
}

async function startSession(
  { keys }: Deps,
  tx: Parameters<typeof createSession>[0],
  account: AccountWithPasswords,
  { kind }: StoredPassword,
  caller: RequestInfo,
): Promise<SignedIn> {
  const session = await createSession(tx, account.id, caller, { mustChangePassword: kind !== 'chosen' })
  const context = await getSessionContext(tx, account.id, session.id)
  const actor = { ...caller, accountId: account.id, name: account.name, email: context.user.email }
  await record(tx, actor, 'sessions.create', { type: 'session', id: session.id, label: '' })
  return { ...context, ...createTokenPair(keys, session) }
}

function credentialsWrong(email: string, account: AccountWithPasswords | undefined) {
  return problem('credentials_wrong', { subject: accountSubject({ id: account?.id ?? '', email }) })
}
