import type { Caller } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, enterAccount } from '../../database/tenancy.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import type { Service } from '../../service.ts'
import { record } from '../audit/records.ts'
import { foundCompany, type NewCompany } from '../companies/founding.ts'
import type { Recipient } from '../mail/letters.ts'
import { setChosenPassword } from '../passwords/passwords.ts'
import { refuseUnfit } from '../passwords/policy.ts'
import { openSession } from '../sessions/sessions.ts'
import type { SignedIn } from '../sessions/sign-in.ts'
import { tokenPair } from '../sessions/tokens.ts'
import { compositeOf } from './composite.ts'
import { sendLink } from './links.ts'

export interface Registration {
  email: string
  password: string
  name: string
  company: NewCompany
}

/** Makes an account, its first company and its first session, or none of them. */
export async function register(service: Service, wanted: Registration, caller: Caller): Promise<SignedIn> {
  refuseUnfit(wanted.password, wanted.email, service.config, 'password')
  const hash = await service.hashing.run(caller, { isKnown: false }, (hasher) => hasher.hash(wanted.password))

  return service.database.write(asAnyone, async (tx) => {
    const account = await createAccount(tx, wanted, hash)
    const doer = { ...caller, accountId: account.id, name: wanted.name, email: wanted.email }
    await record(tx, doer, 'accounts.register', { type: 'account', id: account.id, label: wanted.email })
    if (service.config.requireVerifiedEmail) await confirmAddress(tx, service, account)
    const session = await openSession(tx, account.id, caller)
    await foundCompany(tx, doer, wanted.company)

    await enterAccount(tx, account.id)
    return { ...(await compositeOf(tx, account.id, session.id)), ...tokenPair(service.keys, session) }
  })
}

/** The answer is the same when the mailbox has had enough emails: it is public. */
async function confirmAddress(tx: Tx, { config }: Service, account: Recipient & { id: string }): Promise<void> {
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
