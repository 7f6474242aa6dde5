import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyoneFrom, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { sendLink } from '../accounts/links.ts'
import { assertAcceptablePassword, passwordClassOf } from '../accounts/password-policy.ts'
import { setChosenPassword } from '../accounts/passwords.ts'
import { provedNewAccount } from '../accounts/proofs.ts'
import { createSession } from '../accounts/sessions.ts'
import { createTokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { insertCompany } from '../companies/create-company.ts'
import type { Recipient } from '../mail/outbox/emails.ts'
import type { Registration, SignedIn } from './schemas.ts'
import { getSessionContext } from './session-context.ts'

/** Creates an account, its first company and its first session, all in one transaction. */
export async function register(deps: Deps, registration: Registration, caller: RequestInfo): Promise<SignedIn> {
  if (deps.config.signUp !== 'open') throw problem('sign_up_closed')
  assertAcceptablePassword(registration.password, registration.email, deps.config, 'password')
  const hash = await deps.hashing.run(caller, { isKnown: false }, (hasher) => hasher.hash(registration.password))

  return deps.database.write(asAnyoneFrom(caller.network), async (tx) => {
    const { email, name, locale } = registration
    const account = await createAccount(tx, { email, name, locale }, hash)
    const actor = { ...caller, accountId: account.id, name: registration.name, email: registration.email }
    await record(tx, actor, 'accounts.register', accountSubject({ id: account.id, email: registration.email }))
    if (deps.config.requireVerifiedEmail) await sendConfirmationLink(tx, deps, account)
    const passwordClass = passwordClassOf(registration.password, registration.email, deps.config)
    const session = await createSession(tx, account.id, caller, provedNewAccount(passwordClass))
    await insertCompany(tx, actor, account.id, { ...registration, name: registration.companyName })

    await enterAccount(tx, account.id)
    return {
      ...(await getSessionContext(tx, { ...caller, accountId: account.id, sessionId: session.id })),
      ...createTokenPair(deps.keys, session),
    }
  })
}

/** Anyone can sign up, so the response stays the same when the email is withheld because of a limit. */
async function sendConfirmationLink(tx: Tx, { config }: Deps, account: Recipient & { id: string }): Promise<void> {
  const { perRecipient } = config.emailLimits
  await sendLink(tx, { perRecipient }, account.id, 'confirm_email', account)
}

interface NewAccount {
  id?: string
  email: string
  name: string
  locale?: string | undefined
  /** The person has used a secret that was emailed to the address. */
  isVerified?: boolean
}

export async function createAccount(
  tx: Tx,
  { id = newId(), email, name, locale = '', isVerified = false }: NewAccount,
  hash: string,
): Promise<Recipient & { id: string }> {
  const account = { id, email, name, locale }
  await tx
    .insertInto('accounts')
    .values({ ...account, name_folded: folded(name), ...(isVerified && { email_verified_at: sql`now()` }) })
    .execute()
  await setChosenPassword(tx, account.id, hash)
  return account
}
