import type { CompanyActor } from '../../access/actors.ts'
import { transferOwnerRole } from '../../access/owners.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany, inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { assertNotShown } from '../accounts/accounts.ts'
import type { Match } from '../accounts/passwords.ts'
import { lockVerifiedPassword, verifyPassword } from '../accounts/verify-password.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { post } from '../mail/outbox/enqueue.ts'
import type { Transfer } from './schemas.ts'
import { dropOffer, namesIn, offerTo, recordTransfer, transferView } from './transfers.ts'

/** Ahead of the transaction, because checking a password takes long. Whoever has nothing to accept can't guess here. */
export async function verifyReceiver(service: Deps, actor: CompanyActor, currentPassword: string): Promise<Match> {
  await offerTo(service.database.autocommit(inCompany(actor.companyId, actor.accountId)), actor)
  return verifyPassword(service, actor, currentPassword, async (proven) => proven)
}

/** One swap: the receiver is an Owner, and the giver an Admin, from the same moment on. Other Owners stay. */
export async function acceptOwnership(tx: Tx, actor: CompanyActor, proven: Match): Promise<Transfer> {
  const offer = await offerTo(tx, actor)
  await lockOwnPassword(tx, actor, proven)

  await transferOwnerRole(tx, offer.from, offer.to)
  await dropOffer(tx)
  const company = await getCompanyContext(tx)
  for (const party of [offer.from, offer.to].sort((a, b) => (a.email < b.email ? -1 : 1)))
    await post(tx, 'ownership_transferred', withCompanyLocale(party, company), namesIn(offer))
  await recordTransfer(tx, actor, 'ownership.accept', offer)
  return transferView(offer, 'accepted')
}

async function lockOwnPassword(tx: Tx, actor: CompanyActor, proven: Match): Promise<void> {
  await enterAccount(tx, actor.accountId)
  assertNotShown(await lockVerifiedPassword(tx, actor, proven))
  await enterCompany(tx, actor.companyId, actor.accountId)
}
