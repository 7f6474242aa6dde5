import type { RequestInfo } from '../../access/actors.ts'
import { asAnyone, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
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

/** The same answer, after the same work, whether the address or the password is wrong. */
export async function signIn(deps: Deps, { email, password }: Credentials, caller: RequestInfo): Promise<SignedIn> {
  const { database, hashing } = deps
  const account = await findByEmail(deps, email, caller.network)
  const isKnown = account?.isNetworkKnown ?? false
  await assertNotBlocked(database, email, isKnown)
  const matched = await hashing.run(caller, { isKnown }, async (hasher) => {
    await countPasswordAttempt(database, email, isKnown)
    return findMatchingPassword(hasher, account?.passwords ?? NO_PASSWORDS, password)
  })
  if (!account || !matched) throw refusal(email, account)
  await clearPasswordAttempts(database.autocommit(asAnyone), email)

  return database.write(asAnyone, async (tx) => {
    await enterAccount(tx, account.id)
    // A password that was mailed beside the real one has served nobody once the real one is used.
    const needless = account.passwords.filter(({ kind }) => MAILED_BESIDE[matched.kind].includes(kind))
    if (needless.length > 0) await lockAccount(tx, account.id)
    if (!(await isPasswordStillValid(tx, account.id, matched))) throw refusal(email, account)
    if (needless.length > 0) await deleteTemporaryPasswords(tx, account.id, MAILED_BESIDE[matched.kind])
    const signedIn = await enter(deps, tx, account, matched, caller)
    // The address may have moved on while the password was checked.
    if (signedIn.user.email !== email) throw refusal(email, account)
    return signedIn
  })
}

const NO_PASSWORDS: readonly StoredPassword[] = []

const MAILED_BESIDE: Record<PasswordKind, PasswordKind[]> = {
  chosen: ['temporary', 'second'],
  temporary: ['second'],
  second: [],
}

interface Found {
  id: string
  name: string
  isNetworkKnown: boolean
  passwords: readonly StoredPassword[]
}

async function findByEmail({ database }: Deps, email: string, network: string): Promise<Found | undefined> {
  const tx = database.autocommit(asAnyone)
  const account = await tx
    .selectFrom('accounts')
    .select(['id', 'name', hasRecentSignInFrom(network).as('isNetworkKnown')])
    .where('email', '=', email)
    .executeTakeFirst()
  // Asked for also without an account: both cases take as long.
  const passwords = await findPasswords(tx, account?.id ?? NOBODY)
  return account && { ...account, passwords }
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

async function enter(
  { keys }: Deps,
  tx: Parameters<typeof createSession>[0],
  account: Found,
  { kind }: StoredPassword,
  caller: RequestInfo,
): Promise<SignedIn> {
  const session = await createSession(tx, account.id, caller, { mustChangePassword: kind !== 'chosen' })
  const composite = await getSessionContext(tx, account.id, session.id)
  const doer = { ...caller, accountId: account.id, name: account.name, email: composite.user.email }
  await record(tx, doer, 'sessions.create', { type: 'session', id: session.id, label: '' })
  return { ...composite, ...createTokenPair(keys, session) }
}

function refusal(email: string, account: Found | undefined) {
  return problem('credentials_wrong', { subject: accountSubject({ id: account?.id ?? '', email }) })
}
