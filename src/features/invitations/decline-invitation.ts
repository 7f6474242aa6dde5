import type { Actor, RequestInfo } from '../../access/actors.ts'
import { lockCompanyToJoin } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyoneFrom, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type ProblemCode, problem } from '../../problems.ts'
import { assertMailboxProved, confirmMailbox } from '../accounts/confirm-mailbox.ts'
import type { MailboxConfirmation } from '../accounts/schemas.ts'
import { record } from '../audit/records.ts'
import { invitationSubject } from '../audit/subjects.ts'
import { getOwn } from './accept-invitation.ts'
import { findLocked, finishInvitation, type LockedInvitation, unknownActor } from './admission.ts'
import { getInvitationLinkId, getPendingByLink } from './find-invitation.ts'
import { lockToJoin } from './lock-to-join.ts'

/** Without signing in: the person may not want an account either. */
export async function declineByToken({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = getInvitationLinkId(keys, token)
  await database.write(asAnyoneFrom(caller.network), async (tx) => {
    const { id, company_id } = await getPendingByLink(tx, linkId)
    await enterCompany(tx, company_id, '')
    const invitation = (await lockCompanyToJoin(tx)) && (await findLocked(tx, id))
    if (!invitation || invitation.link_id !== linkId) throw problem('link_invalid')
    await decline(tx, caller, invitation, 'link_invalid')
  })
}

/** Without the token, as for accepting: the answer belongs to the reader of the mailbox, and the session proves to be theirs. */
export async function declineById(deps: Deps, actor: Actor, id: string, given: MailboxConfirmation): Promise<void> {
  const { database } = deps
  await getOwn(database.autocommit(asAccount(actor.accountId)), actor, id)
  await confirmMailbox(deps, actor, given, 'joining')
  await database.write(asAccount(actor.accountId), async (tx) => {
    const { company_id } = await getOwn(tx, actor, id)
    const locked = await lockToJoin(tx, actor, company_id, () => findLocked(tx, id))
    const { isOpen, account, found: invitation } = locked
    if (!isOpen || invitation?.email !== account.email) throw problem('invitation_not_found')
    assertMailboxProved(account, 'joining')
    await decline(tx, actor, invitation, 'invitation_not_pending')
  })
}

async function decline(
  tx: Tx,
  caller: RequestInfo,
  invitation: LockedInvitation,
  answered: ProblemCode,
): Promise<void> {
  if (!(await finishInvitation(tx, invitation, { status: 'declined' }))) throw problem(answered)
  const { email } = invitation
  await record(tx, unknownActor({ ...caller, email }), 'invitations.decline', invitationSubject(invitation))
}
