import type { CompanyActor } from '../../access/actors.ts'
import { assertAnotherCanPass, transferOwnerRole } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany, inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { assertPasswordNotShown } from '../accounts/accounts.ts'
import { canBeUndone } from '../accounts/email-change-undos.ts'
import type { StoredPassword } from '../accounts/passwords.ts'
import { lockVerifiedPassword, verifyPassword } from '../accounts/verify-password.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { notifyOfNewOwner } from './notify-owners-changed.ts'
import type { Transfer } from './schemas.ts'
import {
  deleteInvalidTransfer,
  deleteTransfer,
  getTransferTo,
  type PendingTransfer,
  partiesIn,
  recordTransfer,
  transferView,
} from './transfers.ts'

/**
 * Ahead of the transaction, because verifying a password takes long. Without a pending transfer no password can be
 * guessed here. One that is refused ends, so that it does not come to life again when its sender could offer it anew.
 */
export async function verifyReceiver(
  deps: Deps,
  actor: CompanyActor,
  currentPassword: string,
): Promise<StoredPassword> {
  const company = inCompany(actor.companyId, actor.accountId)
  await getTransferTo(deps.database.autocommit(company), actor).catch(async (refusal) => {
    await deps.database.write(company, deleteInvalidTransfer)
    throw refusal
  })
  return verifyPassword(deps, actor, currentPassword, async (verified) => verified)
}

/** In one moment the recipient becomes an owner and the sender an admin. Other owners stay. */
export async function acceptTransfer(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  verified: StoredPassword,
): Promise<Transfer> {
  const offer = await getTransferTo(tx, actor)
  await lockOwnPassword(tx, actor, verified, offer)
  const { from, to } = offer
  const owner = from.roles.filter(({ system_key }) => system_key === 'owner')
  await assertAnotherCanPass(tx, from.id, { id: to.id, roles: [...to.roles, ...owner] })

  const told = { person: to, by: from, except: [from.id, to.id] }
  await notifyOfNewOwner(tx, config, { ...told, change: 'transferred' })
  await transferOwnerRole(tx, offer.from, offer.to)
  await deleteTransfer(tx)
  const company = await getCompanyContext(tx)
  for (const party of [offer.from, offer.to].sort((a, b) => (a.email < b.email ? -1 : 1)))
    await enqueueEmail(tx, 'ownership_transferred', withCompanyLocale(party, company), partiesIn(offer))
  await recordTransfer(tx, actor, 'ownership.accept', offer)
  return transferView(offer, 'accepted')
}

async function lockOwnPassword(
  tx: Tx,
  actor: CompanyActor,
  verified: StoredPassword,
  { from }: PendingTransfer,
): Promise<void> {
  await enterAccount(tx, actor.accountId)
  assertPasswordNotShown(await lockVerifiedPassword(tx, actor, verified))
  // Otherwise the reader of the former address would get the company, who may be another person, or would lose it unheard.
  for (const id of [actor.accountId, from.id]) if (await canBeUndone(tx, id)) throw problem('address_change_undoable')
  await enterCompany(tx, actor.companyId, actor.accountId)
}
