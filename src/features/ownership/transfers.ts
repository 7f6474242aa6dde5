import { sql } from 'kysely'
import type { AuditAction } from '../../access/actions.ts'
import type { CompanyActor } from '../../access/actors.ts'
import { findMembership, type Membership } from '../../access/memberships.ts'
import { countsAsOwner } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueOrRefuse, limitsFor } from '../mail/outbox/enqueue.ts'
import type { Transfer } from './schemas.ts'

/** An offer of ownership, with both parties as they stand now. */
export interface Offer {
  id: string
  company: { id: string; name: string }
  from: Membership
  to: Membership
  created_at: string
  expires_at: string
  /** Its time is not over. */
  isInTime: boolean
}

/** An Owner offers; nothing changes until the receiver accepts. */
export async function offerOwnership(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits }: Config,
  userId: string,
): Promise<Transfer> {
  assertOwner(actor)
  const receiver = await findMembership(tx, userId)
  if (!receiver || !isOpen(receiver)) throw problem('member_not_found')
  const former = await findOffer(tx)
  if (former && isAlive(former)) throw problem('transfer_pending')
  if (receiver.isOwner) throw problem('already_owner')

  await dropOffer(tx)
  await tx
    .insertInto('ownership_offers')
    .values({ id: newId(), from_id: actor.accountId, to_id: receiver.id })
    .execute()
  const offer = (await findOffer(tx)) as Offer
  const reader = withCompanyLocale(receiver, await getCompanyContext(tx))
  await enqueueOrRefuse(tx, limitsFor(emailLimits, actor), 'ownership_offered', reader, namesIn(offer))
  await recordTransfer(tx, actor, 'ownership.offer', offer)
  return transferView(offer, 'pending')
}

/** For the two whom it concerns, and for Owners. */
export async function getTransfer(tx: Tx, { accountId }: CompanyActor): Promise<Transfer> {
  const offer = await findOffer(tx)
  if (!offer || !isAlive(offer)) throw problem('transfer_not_found')
  const isParty = [offer.from.id, offer.to.id].includes(accountId)
  const reader = isParty ? undefined : await findMembership(tx, accountId)
  if (!isParty && !reader?.isOwner) throw problem('transfer_not_found')
  return transferView(offer, 'pending')
}

/** Any Owner may, not only the one who offered: it is the company of all of them. */
export async function cancelTransfer(tx: Tx, actor: CompanyActor): Promise<Transfer> {
  assertOwner(actor)
  const offer = await findOffer(tx)
  if (!offer || !isAlive(offer)) throw problem('transfer_not_found')

  await dropOffer(tx)
  await recordTransfer(tx, actor, 'ownership.cancel', offer)
  return transferView(offer, 'revoked')
}

export async function declineTransfer(tx: Tx, actor: CompanyActor): Promise<Transfer> {
  const offer = await offerTo(tx, actor)

  await dropOffer(tx)
  await recordTransfer(tx, actor, 'ownership.decline', offer)
  return transferView(offer, 'declined')
}

/** The offer that the actor may accept; one to somebody else is not there. */
export async function offerTo(tx: Tx, { accountId }: CompanyActor): Promise<Offer> {
  const offer = await findOffer(tx)
  if (offer?.to.id !== accountId) throw problem('transfer_not_found')
  if (!isAlive(offer)) throw problem('transfer_expired')
  return offer
}

/** However it ended. */
export async function dropOffer(tx: Tx): Promise<void> {
  await tx.deleteFrom('ownership_offers').execute()
}

/**
 * For whoever changes roles or status of members, with the company locked: an offer that can't be accepted any more is
 * gone, so that it does not come back to life when somebody becomes again what they were.
 */
export async function dropDeadOffer(tx: Tx): Promise<void> {
  const offer = await findOffer(tx)
  if (offer && !isAlive(offer)) await dropOffer(tx)
}

export const namesIn = ({ company, from, to }: Offer) => ({ company: company.name, from: from.name, to: to.name })

export async function recordTransfer(tx: Tx, actor: CompanyActor, action: AuditAction, { company, from, to }: Offer) {
  const changes: Changes = { owner: { from: from.email, to: to.email } }
  await record(tx, actor, action, { type: 'company', id: company.id, label: company.name }, changes)
}

export function transferView(offer: Offer, status: Transfer['status']): Transfer {
  const party = ({ id, name, email }: Membership) => ({ id, name, email })
  return { ...offer, from: party(offer.from), to: party(offer.to), status }
}

function assertOwner({ isOwner }: CompanyActor): void {
  if (!isOwner) throw problem('owner_only')
}

const isOpen = ({ status, awaits_proof }: Membership) => status === 'active' && !awaits_proof

function isAlive({ from, to, isInTime }: Offer): boolean {
  return isInTime && countsAsOwner(from) && isOpen(to) && !to.isOwner
}

async function findOffer(tx: Tx): Promise<Offer | undefined> {
  const row = await tx
    .selectFrom('ownership_offers')
    .innerJoin('companies', 'companies.id', 'ownership_offers.company_id')
    .select(['ownership_offers.id', 'companies.id as company_id', 'companies.name as company_name', 'from_id', 'to_id'])
    .select(['ownership_offers.created_at', 'expires_at', sql<boolean>`expires_at > now()`.as('isInTime')])
    .executeTakeFirst()
  if (!row) return undefined
  const from = await findMembership(tx, row.from_id)
  const to = await findMembership(tx, row.to_id)
  // Read without a lock: one of them was detached in between, and took the offer along.
  if (!from || !to) return undefined
  const { id, created_at, expires_at, isInTime } = row
  return { id, company: { id: row.company_id, name: row.company_name }, from, to, created_at, expires_at, isInTime }
}
