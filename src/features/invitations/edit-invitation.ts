import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn, assertCanGrant, authorityOf } from '../../access/authority.ts'
import { assertCanGive } from '../../access/freshness.ts'
import { findMembership, getMembership } from '../../access/memberships.ts'
import { standsBy } from '../../access/owners.ts'
import { assertDomainAllowed } from '../../access/policies.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { invitationSubject } from '../audit/subjects.ts'
import { getCompanyContext } from '../mail/outbox/company-context.ts'
import { assertBranchesUsable, branchChanges, type FoundBranches, findBranchesFor } from '../members/member-branches.ts'
import { searchOf } from './create-invitation.ts'
import {
  findInvitedBranches,
  findInvitedRoles,
  getInvitation,
  setInvitedBranches,
  setInvitedRoles,
} from './invitations.ts'
import type { Invitation, InvitationUpdate } from './schemas.ts'
import { findInvitee, sendInvitation } from './send-invitation.ts'

/** The editor becomes the inviter: acceptance asks what this member may give, and not who wrote first. */
export async function updateInvitation(
  tx: Tx,
  actor: CompanyActor,
  id: string,
  { name, roleIds, branchIds, expiresInDays }: InvitationUpdate,
): Promise<Invitation> {
  const { invitation, roles: former } = await getEditable(tx, actor, id)
  const wanted = roleIds?.length ? await findRolesById(tx, roleIds) : undefined
  assertCanGrant(actor, wanted?.roles ?? [])
  if (roleIds?.length === 0) throw problem('member_without_role')
  if (wanted?.isOneUnknown) throw problem('role_unknown')
  const branches = branchIds && (await findBranches(tx, id, branchIds))
  if (branches) assertBranchesUsable(branches)
  // Also where the roles stay: from now on the editor vouches for them, in the place of a member who may have lost them.
  await assertCanGive(tx, actor, wanted?.roles ?? former)

  const next = { name: name ?? invitation.name, email: invitation.email }
  const changes: Changes = {
    ...(next.name !== invitation.name && { name: { from: invitation.name, to: next.name } }),
    ...roleChanges(former, wanted?.roles),
    ...(branches && branchChanges(branches)),
    ...(expiresInDays && { days: { to: expiresInDays } }),
    ...(await inviterChange(tx, actor, invitation)),
  }
  if (Object.keys(changes).length === 0 && (await isStoodBy(tx, actor, id))) return invitation
  await tx
    .updateTable('invitations')
    .set({
      ...{ name: next.name, search: searchOf(next), ...vouchedForBy(actor) },
      ...(expiresInDays && { valid_days: expiresInDays, expires_at: daysFromNow(sql`${expiresInDays}::integer`) }),
    })
    .where('id', '=', id)
    .execute()
  if (wanted) await setInvitedRoles(tx, id, wanted.roles)
  if (branches) await setInvitedBranches(tx, id, branches.branches)
  await record(tx, actor, 'invitations.update', invitationSubject(invitation), changes)
  return getInvitation(tx, id)
}

/** Sends a new link, valid for as many days as the one before, which stops working unless the email is refused. */
export async function resendInvitation(tx: Tx, actor: CompanyActor, config: Config, id: string): Promise<Invitation> {
  const { invitation, roles } = await getEditable(tx, actor, id)
  await assertDomainAllowed(tx, invitation.email, 'invitation')
  await assertCanGive(tx, actor, roles)

  const linkId = newId()
  await tx
    .updateTable('invitations')
    .set({
      ...vouchedForBy(actor),
      link_id: linkId,
      expires_at: daysFromNow(sql`valid_days`),
      sent_at: sql`now()`,
      resent: sql`resent + 1`,
    })
    .where('id', '=', id)
    .execute()
  await record(tx, actor, 'invitations.resend', invitationSubject(invitation))
  const [sent, invitee, company] = [
    await getInvitation(tx, id),
    await findInvitee(tx, invitation.email),
    await getCompanyContext(tx),
  ]
  await sendInvitation(tx, actor, config, company, invitee, { ...sent, linkId })
  return sent
}

export async function revokeInvitation(tx: Tx, actor: CompanyActor, id: string): Promise<{ id: string }> {
  const { invitation } = await getEditable(tx, actor, id)

  await tx
    .updateTable('invitations')
    .set({ status: 'revoked', finished_at: sql`now()`, updated_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
  await record(tx, actor, 'invitations.revoke', invitationSubject(invitation))
  return { id }
}

/**
 * A pending one that gives nothing which the actor lacks. Its row is locked, because a member who gets the address ends it without the
 * lock of the company.
 */
async function getEditable(
  tx: Tx,
  actor: CompanyActor,
  id: string,
): Promise<{ invitation: Invitation; roles: Role[] }> {
  const [, invitation, roles] = await Promise.all([
    tx.selectFrom('invitations').select('id').where('id', '=', id).forNoKeyUpdate().execute(),
    getInvitation(tx, id),
    findInvitedRoles(tx, id),
  ])
  assertCanActOn(actor, authorityOf(roles))
  if (invitation.status !== 'pending') throw problem('invitation_not_pending')
  return { invitation, roles }
}

async function findBranches(tx: Tx, id: string, wanted: readonly string[]): Promise<FoundBranches> {
  return { ...(await findBranchesFor(tx, wanted)), held: await findInvitedBranches(tx, id) }
}

function roleChanges(former: readonly Role[], roles: readonly Role[] | undefined): Changes {
  const names = (list: readonly Role[]) => list.map(({ name }) => name).sort()
  const held = new Set(former.map(({ id }) => id))
  if (!roles || (roles.length === held.size && roles.every(({ id }) => held.has(id)))) return {}
  return { roles: { from: names(former), to: names(roles) } }
}

/** By their addresses: an erasure finds by them what names a person beside the actor and the target. */
async function inviterChange(tx: Tx, { accountId, email }: CompanyActor, { inviter }: Invitation): Promise<Changes> {
  if (inviter?.id === accountId) return {}
  const former = inviter && (await findMembership(tx, inviter.id))
  return { inviter: { from: former?.email, to: email } }
}

/**
 * Otherwise a takeover of the account has voided it, or perhaps the invited person has been a member since, and the same once more is what
 * makes it count again.
 */
async function isStoodBy(tx: Tx, { accountId }: CompanyActor, id: string): Promise<boolean> {
  const [{ vouched_at, isAnyGone }, own] = await Promise.all([
    tx
      .selectFrom('invitations')
      .select('vouched_at')
      // Whose address it is the company sees only of its members.
      .select(sql<boolean>`exists (select from former_members where left_at >= invitations.updated_at)`.as('isAnyGone'))
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
    getMembership(tx, accountId),
  ])
  return standsBy(own, vouched_at) && !isAnyGone
}

const vouchedForBy = ({ accountId }: CompanyActor) => ({
  inviter_id: accountId,
  updated_at: sql<string>`clock_timestamp()`,
  vouched_at: sql<string>`now()`,
})

const daysFromNow = (days: ReturnType<typeof sql>) => sql<string>`now() + make_interval(days => ${days})`
