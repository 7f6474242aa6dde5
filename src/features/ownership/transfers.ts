import { sql } from 'kysely'
import type { AuditAction } from '../../access/actions.ts'
import type { CompanyActor } from '../../access/actors.ts'
import { findMembership, type Membership } from '../../access/memberships.ts'
import { awaitsSecondFactor, countsAsOwner, standsBy } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { enterAccount, enterCompany } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { UNDER_WAY_SECONDS } from '../accounts/accounts.ts'
import { canBeUndone } from '../accounts/email-change-undos.ts'
import { type Changes, record } from '../audit/records.ts'
import { companyParams, getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmailOrRefuse, limitsFor } from '../mail/outbox/enqueue.ts'
import type { Transfer } from './schemas.ts'

/** A pending transfer, with both parties as they are now. */
export interface PendingTransfer {
  id: string
  company: { id: string; name: string }
  from: Membership
  to: Membership
  created_at: string
  expires_at: string
  /** It has not expired. */
  isInTime: boolean
  /** The policy shuts the sender out, who could not offer it now. */
  isShutOut: boolean
}

/** Nothing changes until the recipient accepts. */
export async function startTransfer(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits }: Config,
  userId: string,
): Promise<Transfer> {
  const receiver = await findMembership(tx, userId)
  if (!receiver || !isOpen(receiver)) throw problem('member_not_found')
  const former = await findTransfer(tx)
  if (former && isValid(former)) throw problem('transfer_pending')
  if (receiver.isOwner) throw problem('already_owner')

  // Before the former offer: a recovery of an account locks it and then what it has offered or was offered.
  const parties = [actor.accountId, receiver.id].sort()
  await Promise.all(parties.map((id) => sql`select lock_member_account(${id})`.execute(tx)))
  await enterAccount(tx, actor.accountId)
  // It could not be accepted: see accept-transfer.ts.
  if (await canBeUndone(tx, actor.accountId)) throw problem('address_change_undoable')
  await enterCompany(tx, actor.companyId, actor.accountId)
  await deleteTransfer(tx)
  await tx
    .insertInto('ownership_offers')
    .values({ id: newId(), from_id: actor.accountId, to_id: receiver.id })
    .execute()
  const offer = (await findTransfer(tx)) as PendingTransfer
  const reader = withCompanyLocale(receiver, await getCompanyContext(tx))
  const params = { ...partiesIn(offer), ...companyParams(offer.company) }
  await enqueueEmailOrRefuse(tx, limitsFor(emailLimits, actor), 'ownership_offered', reader, params)
  await recordTransfer(tx, actor, 'ownership.offer', offer)
  return transferView(offer, 'pending')
}

export async function getTransfer(tx: Tx, actor: CompanyActor): Promise<Transfer> {
  const [transfer] = await listTransfers(tx, actor)
  if (!transfer) throw problem('transfer_not_found')
  return transfer
}

/** For the sender, the recipient and all owners. A company has one at most. */
export async function listTransfers(tx: Tx, { accountId }: CompanyActor): Promise<Transfer[]> {
  const offer = await findTransfer(tx)
  if (!offer || !isValid(offer)) return []
  const isParty = [offer.from.id, offer.to.id].includes(accountId)
  const reader = isParty ? undefined : await findMembership(tx, accountId)
  return isParty || reader?.isOwner ? [transferView(offer, 'pending')] : []
}

/** Every owner may cancel it, not only the sender. */
export async function cancelTransfer(tx: Tx, actor: CompanyActor): Promise<Transfer> {
  const offer = await findTransfer(tx)
  if (!offer || !isValid(offer)) throw problem('transfer_not_found')

  await deleteTransfer(tx)
  await recordTransfer(tx, actor, 'ownership.cancel', offer)
  return transferView(offer, 'revoked')
}

export async function declineTransfer(tx: Tx, actor: CompanyActor): Promise<Transfer> {
  const offer = await getTransferTo(tx, actor)

  await deleteTransfer(tx)
  await recordTransfer(tx, actor, 'ownership.decline', offer)
  return transferView(offer, 'declined')
}

/** The transfer that the actor may accept; one to another member does not exist for the actor. */
export async function getTransferTo(tx: Tx, { accountId }: CompanyActor): Promise<PendingTransfer> {
  const offer = await findTransfer(tx)
  if (offer?.to.id !== accountId) throw problem('transfer_not_found')
  if (!isValid(offer)) throw problem((await isStored(tx, offer)) ? 'transfer_expired' : 'transfer_not_found')
  return offer
}

/** Read without a lock, a transfer that was accepted in between looks like one to an owner. */
async function isStored(tx: Tx, { id }: PendingTransfer): Promise<boolean> {
  const stored = await tx.selectFrom('ownership_offers').select('id').where('id', '=', id).executeTakeFirst()
  return stored !== undefined
}

/** After it was accepted, declined or canceled, or became invalid. */
export async function deleteTransfer(tx: Tx): Promise<void> {
  await tx.deleteFrom('ownership_offers').execute()
}

/**
 * For changes of roles or status of members and of the policy, under the company’s lock, and for who is refused: a transfer that can no
 * longer be accepted is deleted, so that it does not become valid again later. One that has expired stays, and says so.
 */
export async function deleteInvalidTransfer(tx: Tx): Promise<void> {
  const offer = await findTransfer(tx)
  if (offer?.isInTime && !isValid(offer)) await tx.deleteFrom('ownership_offers').where('id', '=', offer.id).execute()
}

export const partiesIn = ({ company, from, to }: PendingTransfer) => ({
  company: company.name,
  from: from.name,
  fromEmail: from.email,
  to: to.name,
  toEmail: to.email,
})

export async function recordTransfer(
  tx: Tx,
  actor: CompanyActor,
  action: AuditAction,
  { company, from, to }: PendingTransfer,
) {
  const changes: Changes = { owner: { from: from.email, to: to.email } }
  await record(tx, actor, action, { type: 'company', id: company.id, label: company.name }, changes)
}

export function transferView(offer: PendingTransfer, status: Transfer['status']): Transfer {
  const party = ({ id, name, email }: Membership) => ({ id, name, email })
  return { ...offer, from: party(offer.from), to: party(offer.to), status }
}

const isOpen = ({ status, awaits_verification }: Membership) => status === 'active' && !awaits_verification

function isValid({ from, to, created_at, isInTime, isShutOut }: PendingTransfer): boolean {
  const stands = standsBy(from, created_at) && !wasRecoveredSince(to, created_at)
  return isInTime && !isShutOut && stands && countsAsOwner(from) && isOpen(to) && !to.isOwner
}

/** Then the reader of another address has the account than the one whom the sender meant. */
const wasRecoveredSince = ({ recovered_at }: Membership, since: string): boolean =>
  recovered_at !== null && Date.parse(recovered_at) - UNDER_WAY_SECONDS * 1000 >= Date.parse(since)

async function findTransfer(tx: Tx): Promise<PendingTransfer | undefined> {
  const row = await tx
    .selectFrom('ownership_offers')
    .innerJoin('companies', 'companies.id', 'ownership_offers.company_id')
    .select(['ownership_offers.id', 'companies.id as company_id', 'companies.name as company_name', 'from_id', 'to_id'])
    .select(['ownership_offers.created_at', 'expires_at', sql<boolean>`expires_at > now()`.as('isInTime')])
    .executeTakeFirst()
  if (!row) return undefined
  const from = await findMembership(tx, row.from_id)
  const to = await findMembership(tx, row.to_id)
  // Read without a lock: one of them may have been detached in between, which deletes the transfer.
  if (!from || !to) return undefined
  const { id, created_at, expires_at, isInTime } = row
  const company = { id: row.company_id, name: row.company_name }
  const isShutOut = await awaitsSecondFactor(tx, from)
  return { id, company, from, to, created_at, expires_at, isInTime, isShutOut }
}
