import { sql } from 'kysely'
import type { AuditAction } from '../../access/actions.ts'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn } from '../../access/authority.ts'
import { assertFresh, WITH_FACTOR } from '../../access/freshness.ts'
import { getMembership, isInUse, type Membership } from '../../access/memberships.ts'
import { assertAnotherOwner, countsAsOwner } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { problem } from '../../problems.ts'
import { record, unseen } from '../audit/records.ts'
import { invitationSubject, memberSubject } from '../audit/subjects.ts'
import { notifyOfLostOwner } from '../ownership/notify-owners-changed.ts'
import { adjustMemberCounters } from './members.ts'

/** Ends a membership, possibly the actor’s own. The account still exists. */
export async function detachMember(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  userId: string,
): Promise<{ id: string }> {
  const target = await getMembership(tx, userId)
  assertCanActOn(actor, target)

  await endMembership(tx, actor, config, target, 'users.detach')
  return { id: target.id }
}

/** Needs no permission, no active status and no verified address: every member can leave, except the only owner. */
export async function leaveCompany(tx: Tx, actor: CompanyActor, config: Config): Promise<{ id: string }> {
  const own = await getMembership(tx, actor.accountId)
  // The company waits for the owner of the address, and another person may be signed in.
  if (own.awaits_verification && own.is_shown) throw problem('email_verification_required')

  await endMembership(tx, actor, config, own, 'users.leave')
  return { id: actor.companyId }
}

async function endMembership(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  target: Membership,
  action: AuditAction,
): Promise<void> {
  // Who has left comes back only when the company wants it: that is nothing to lose where the account has never opened the company.
  const isDangerous = target.id === actor.accountId ? isInUse(target) : target.isOwner
  if (isDangerous) await assertFresh(tx, actor, WITH_FACTOR)
  if (countsAsOwner(target)) await assertAnotherOwner(tx, target.id)

  if (target.isOwner) {
    await lockAccount(tx, target)
    await notifyOfLostOwner(tx, actor, config, target, action === 'users.leave' ? 'left' : 'removed')
  }
  const isUnknown = target.id === actor.accountId && !isInUse(target)
  const recordedActor = isUnknown ? unseen(actor) : actor
  const [, ended] = await Promise.all([
    lockAccount(tx, target),
    findInvitationsThatEnd(tx, target.id),
    tx.deleteFrom('memberships').where('account_id', '=', target.id).execute(),
    record(tx, recordedActor, action, memberSubject(target), {
      roles: { from: target.roles.map(({ name }) => name) },
    }),
    adjustMemberCounters(tx, target.status === 'active' ? { active: -1 } : { inactive: -1 }),
  ])
  for (const invitation of ended) await record(tx, recordedActor, 'invitations.revoke', invitationSubject(invitation))
}

/**
 * Invitations to an address that the member had before, which end with the membership (end_invitations_of_member): one may be meant for a
 * person who has the address by now, so the log tells that it has to be sent again.
 */
const findInvitationsThatEnd = statement<{ id: string; email: string }, [accountId: string]>(`
  select id, email from invitations
  where status = 'pending' and email in (select email from former_addresses where account_id = $1)`)

const lockAccount = (tx: Tx, { id }: Membership) => sql`select lock_member_account(${id})`.execute(tx)
