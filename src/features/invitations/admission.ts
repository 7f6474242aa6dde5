import { sql } from 'kysely'
import type { Membership } from '../../access/memberships.ts'
import { isJoinedFirst, withRestorable } from '../../access/owners.ts'
import { isDomainAllowed } from '../../access/policies.ts'
import type { Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { type ProblemCode, problem } from '../../problems.ts'
import { type AuditActor, record, recordRefusal } from '../audit/records.ts'
import { invitationSubject } from '../audit/subjects.ts'
import { type CompanyContext, getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { EmailParams } from '../mail/outbox/emails.ts'
import { enqueueNotice, mailboxLimit, noticeLimits } from '../mail/outbox/enqueue.ts'
import { joinCompany } from '../members/join-company.ts'
import type { FoundBranches } from '../members/member-branches.ts'
import { findInvitedBranches, findInvitedRoles } from './invitations.ts'
import { findVoucher } from './vouching.ts'

/** An invitation under the company’s lock. */
export interface LockedInvitation {
  id: string
  email: string
  link_id: string
  inviter_id: string | null
  accepted_by: string | null
  /** When a member last stood by it: see the migration 0057. */
  vouched_at: string
  /** It has not expired either. */
  is_pending: boolean
}

export async function findLocked(tx: Tx, id: string): Promise<LockedInvitation | undefined> {
  return tx
    .selectFrom('invitations')
    .select(['id', 'email', 'link_id', 'inviter_id', 'accepted_by', 'vouched_at'])
    .select(sql<boolean>`status = 'pending' and expires_at > now()`.as('is_pending'))
    .where('id', '=', id)
    .executeTakeFirst()
}

/** What a person gets, and the member who vouches for it. */
export interface Admission {
  roles: Role[]
  branches: FoundBranches
  inviter: Membership
  company: CompanyContext
}

/**
 * Undefined: the inviter could not give this any more, the account was a member after the invitation was sent, or the policy of
 * the company admits no such address any more.
 */
export async function findAdmission(
  tx: Tx,
  { id, email, inviter_id, vouched_at }: LockedInvitation,
  accountId?: string,
): Promise<Admission | undefined> {
  const [roles, branches, hasLeft, isAllowed, company] = await Promise.all([
    findInvitedRoles(tx, id),
    findUsableBranches(tx, id),
    accountId ? hasLeftSince(tx, id, accountId) : false,
    isDomainAllowed(tx, email, 'invitation'),
    getCompanyContext(tx),
  ])
  const inviter = hasLeft || !isAllowed ? undefined : await findVoucher(tx, inviter_id, roles, vouched_at)
  return inviter && { roles, branches, inviter, company }
}

/** A branch that has become inactive since takes no new members. */
async function findUsableBranches(tx: Tx, id: string): Promise<FoundBranches> {
  const branches = (await findInvitedBranches(tx, id)).filter(({ status }) => status === 'active')
  return { branches, held: [], isOneUnknown: false, isOneInactive: false }
}

async function hasLeftSince(tx: Tx, id: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from former_members
    where account_id = ${accountId} and left_at >= (select updated_at from invitations where id = ${id})`.execute(tx)
  return rows.length > 0
}

/** A refusal whose consequences are committed; throw it after the transaction. */
export interface Refused {
  refused: ProblemCode
}

/** The invitation ends, so that it does not come to life again when the inviter gets the roles back. */
export async function refuseInvitation(tx: Tx, actor: AuditActor, invitation: LockedInvitation): Promise<Refused> {
  const refused = 'invitation_no_longer_valid'
  await tx
    .updateTable('invitations')
    .set({ status: 'revoked', finished_at: sql`now()` })
    .where('id', '=', invitation.id)
    .where('status', '=', 'pending')
    .execute()
  await recordRefusal(tx, unknownActor(actor), 'invitations.accept', refused, invitationSubject(invitation))
  return { refused }
}

/** Exactly one of any number of concurrent requests gets past this. */
export async function finishInvitation(
  tx: Tx,
  { id }: LockedInvitation,
  answer: { status: 'accepted'; accepted_by: string } | { status: 'declined' },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invitations')
    .set({ ...answer, finished_at: sql`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Makes the account, which is locked, a member as the invitation says. */
export async function admit(
  tx: Tx,
  actor: AuditActor,
  config: Config,
  invitation: LockedInvitation,
  account: { id: string; email: string; name: string },
  { roles, branches, inviter, company }: Admission,
): Promise<void> {
  const params = { company: company.name, member: account.name, memberEmail: account.email }
  const [isFirst] = await Promise.all([
    finishInvitation(tx, invitation, { status: 'accepted', accepted_by: account.id }),
    record(tx, actor, 'invitations.accept', invitationSubject(invitation)),
    joinCompany(tx, actor, config, account, { roles, branches, addedBy: inviter }),
    notifyInviter(tx, config, company, inviter, params),
  ])
  if (!isFirst) throw problem('link_invalid')
}

async function notifyInviter(
  tx: Tx,
  { emailLimits }: Config,
  company: CompanyContext,
  inviter: Membership,
  params: EmailParams['invitation_accepted'],
): Promise<void> {
  const known = withCompanyLocale(inviter, company)
  const [is_joined_first, readers] = await Promise.all([isJoinedFirst(tx, inviter.id), withRestorable(tx, [known])])
  for (const reader of readers.sort((a, b) => (a.email < b.email ? -1 : 1))) {
    // Of each company as many as of other notices, or one of the first companies would hide what another one says.
    const ofCompany = reader.is_verified ? { perRecipient: null } : noticeLimits(emailLimits, company.id)
    const limits = { ...ofCompany, perMailbox: mailboxLimit(emailLimits, { ...reader, is_joined_first }) }
    await enqueueNotice(tx, limits, 'invitation_accepted', reader, params)
  }
}

/** A company learns nothing of a person who has not joined it but what it knows: the address. */
export const unknownActor = ({ requestId, email }: AuditActor): AuditActor => ({
  ip: null,
  userAgent: '',
  requestId,
  ...(email !== undefined && { email }),
})
