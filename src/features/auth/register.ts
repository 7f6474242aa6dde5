import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { sendLink } from '../accounts/links.ts'
import { assertAcceptablePassword } from '../accounts/password-policy.ts'
import { setChosenPassword } from '../accounts/passwords.ts'
import { openSession } from '../accounts/sessions.ts'
import { tokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { insertCompany } from '../companies/create-company.ts'
import type { Recipient } from '../mail/outbox/enqueue.ts'
import type { Registration, SignedIn } from './schemas.ts'
import { getSessionContext } from './session-context.ts'

/** Makes an account, its first company and its first session, or none of them. */
export async function register(deps: Deps, wanted: Registration, caller: RequestInfo): Promise<SignedIn> {
  assertAcceptablePassword(wanted.password, wanted.email, deps.config, 'password')
  const hash = await deps.hashing.run(caller, { isKnown: false }, (hasher) => hasher.hash(wanted.password))

  return deps.database.write(asAnyone, async (tx) => {
    const account = await createAccount(tx, wanted, hash)
    const doer = { ...caller, accountId: account.id, name: wanted.name, email: wanted.email }
    await record(tx, doer, 'accounts.register', accountSubject({ id: account.id, email: wanted.email }))
    if (deps.config.requireVerifiedEmail) await confirmAddress(tx, deps, account)
    const session = await openSession(tx, account.id, caller)
    await insertCompany(tx, doer, { ...wanted, name: wanted.companyName })

    await enterAccount(tx, account.id)
    return { ...(await getSessionContext(tx, account.id, session.id)), ...tokenPair(deps.keys, session) }
  })
}

/** The answer is the same when the mailbox has had enough emails: it is public. */
async function confirmAddress(tx: Tx, { config }: Deps, account: Recipient & { id: string }): Promise<void> {
  const { perRecipient } = config.emailLimits
  await sendLink(tx, { perRecipient }, account.id, 'confirm_email', account)
}

async function createAccount(tx: Tx, { email, name }: Registration, hash: string) {
  const account = { id: newId(), email, name, locale: '' }
  await tx
    .insertInto('accounts')
    .values({ ...account, name_folded: folded(name) })
    .execute()
  await setChosenPassword(tx, account.id, hash)
  return account
}
