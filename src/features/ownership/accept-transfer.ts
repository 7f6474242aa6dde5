import type { Member } from '../../access/actors.ts'
import { lockedStanding, readerOf, senderOf } from '../../access/memberships.ts'
import { passOwnership } from '../../access/owners.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany, inCompany } from '../../database/scopes.ts'
import type { Service } from '../../deps.ts'
import { assertNotShown } from '../accounts/accounts.ts'
import type { Match } from '../accounts/passwords.ts'
import { holdProof, provePassword } from '../accounts/verify-password.ts'
import { post } from '../mail/outbox/enqueue.ts'
import { dropOffer, namesIn, offerTo, recordTransfer, type TransferView, viewOf } from './transfers.ts'

/** Ahead of the transaction, because checking a password takes long. Whoever has nothing to accept can't guess here. */
export async function proveReceiver(service: Service, actor: Member, currentPassword: string): Promise<Match> {
  await offerTo(service.database.autocommit(inCompany(actor.companyId, actor.accountId)), actor)
  return provePassword(service, actor, currentPassword, async (proven) => proven)
}

/** One swap: the receiver is an Owner, and the giver an Admin, from the same moment on. Other Owners stay. */
export async function acceptOwnership(tx: Tx, actor: Member, proven: Match): Promise<TransferView> {
  await lockedStanding(tx, actor, 'company_not_found')
  const offer = await offerTo(tx, actor)
  await holdOwnProof(tx, actor, proven)

  await passOwnership(tx, offer.from, offer.to)
  await dropOffer(tx)
  const company = await senderOf(tx)
  for (const party of [offer.from, offer.to].sort((a, b) => (a.email < b.email ? -1 : 1)))
    await post(tx, 'ownership_transferred', readerOf(party, company), namesIn(offer))
  await recordTransfer(tx, actor, 'ownership.accept', offer)
  return viewOf(offer, 'accepted')
}

async function holdOwnProof(tx: Tx, actor: Member, proven: Match): Promise<void> {
  await enterAccount(tx, actor.accountId)
  assertNotShown(await holdProof(tx, actor, proven))
  await enterCompany(tx, actor.companyId, actor.accountId)
}
