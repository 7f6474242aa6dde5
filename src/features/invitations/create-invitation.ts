import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanGrant } from '../../access/authority.ts'
import { assertCanGive } from '../../access/freshness.ts'
import { assertDomainAllowed } from '../../access/policies.ts'
import { findRolesById, getMemberRole } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { invitationSubject } from '../audit/subjects.ts'
import { getCompanyContext } from '../mail/outbox/company-context.ts'
import { assertBranchesUsable, branchChanges, findBranchesFor } from '../members/member-branches.ts'
import { getInvitation, setInvitedBranches, setInvitedRoles } from './invitations.ts'
import { type Invitation, type NewInvitation, VALID_DAYS_DEFAULT } from './schemas.ts'
import { findInvitee, sendInvitation } from './send-invitation.ts'

const PENDING_MAX = 1000

/** Asks a person in, with or without an account. The response does not tell which, except for a member. */
export async function createInvitation(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  { email, name = '', roleIds = [], branchIds, locale = '', expiresInDays = VALID_DAYS_DEFAULT }: NewInvitation,
): Promise<Invitation> {
  const [{ roles, isOneUnknown }, invitee, branches, pending, company] = await Promise.all([
    roleIds.length > 0 ? findRolesById(tx, roleIds) : getMemberRole(tx),
    findInvitee(tx, email),
    findBranchesFor(tx, branchIds),
    countPending(tx, email),
    getCompanyContext(tx),
  ])
  assertCanGrant(actor, roles)
  await assertDomainAllowed(tx, email, 'invitation')
  if (invitee?.is_member) throw problem('already_member')
  if (pending.isInvited) throw problem('invitation_pending')
  if (isOneUnknown) throw problem('role_unknown')
  assertBranchesUsable(branches)
  if (pending.total >= PENDING_MAX) throw problem('invitation_limit_reached')
  await assertCanGive(tx, actor, roles)

  const [id, linkId] = [newId(), newId()]
  await expireFormer(tx, email)
  await insertInvitation(tx, actor, { id, link_id: linkId, email, name, locale, valid_days: expiresInDays })
  await setInvitedRoles(tx, id, roles)
  await setInvitedBranches(tx, id, branches.branches)
  await record(tx, actor, 'invitations.create', invitationSubject({ id, email }), {
    roles: { to: roles.map((role) => role.name) },
    ...branchChanges(branches),
    days: { to: expiresInDays },
  })
  const invitation = await getInvitation(tx, id)
  await sendInvitation(tx, actor, config, company, invitee, { ...invitation, linkId })
  return invitation
}

/** Of those that have not expired. */
async function countPending(tx: Tx, email: string): Promise<{ total: number; isInvited: boolean }> {
  return tx
    .selectFrom('invitations')
    .select([
      sql<number>`count(*)`.as('total'),
      sql<boolean>`coalesce(bool_or(email = ${email}), false)`.as('isInvited'),
    ])
    .where('status', '=', 'pending')
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirstOrThrow()
}

/** An address has one pending invitation in a company at most, and an expired one is stored as pending until then. */
async function expireFormer(tx: Tx, email: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ status: 'expired', finished_at: sql`expires_at` })
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .execute()
}

async function insertInvitation(
  tx: Tx,
  { accountId }: CompanyActor,
  values: { id: string; link_id: string; email: string; name: string; locale: string; valid_days: number },
): Promise<void> {
  await tx
    .insertInto('invitations')
    .values({
      ...values,
      search: searchOf(values),
      inviter_id: accountId,
      expires_at: sql`now() + make_interval(days => ${values.valid_days})`,
    })
    .execute()
}

export const searchOf = ({ name, email }: { name: string; email: string }) => `${folded(name)} ${email}`
