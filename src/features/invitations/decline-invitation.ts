import type { Actor, RequestInfo } from '../../access/actors.ts'
import { lockCompanyToJoin } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { invitationSubject } from '../audit/subjects.ts'
import { getOwn, type Manner } from './accept-invitation.ts'
import { findLocked, finishInvitation, unknownActor } from './admission.ts'
import { type FoundInvitation, getInvitationLinkId, getPendingByLink } from './find-invitation.ts'

/** Without signing in: the person may not want an account either. */
export async function declineByToken({ database, keys }: Deps, token: string, caller: RequestInfo): Promise<void> {
  const linkId = getInvitationLinkId(keys, token)
  await database.write(asAnyone, async (tx) => {
    const found = await getPendingByLink(tx, linkId)
    await decline(tx, caller, found, { linkId, gone: 'link_invalid', answered: 'link_invalid' })
  })
}

export async function declineById({ database }: Deps, actor: Actor, id: string): Promise<void> {
  await database.write(asAccount(actor.accountId), async (tx) => {
    const found = await getOwn(tx, actor, id)
    await decline(tx, actor, found, { gone: 'invitation_not_found', answered: 'invitation_not_pending' })
  })
}

async function decline(
  tx: Tx,
  caller: RequestInfo,
  { id, company_id, email }: FoundInvitation,
  { linkId, gone, answered }: Manner,
): Promise<void> {
  await enterCompany(tx, company_id, '')
  if (!(await lockCompanyToJoin(tx))) throw problem(gone)
  const invitation = await findLocked(tx, id)
  if (!invitation || (linkId && invitation.link_id !== linkId)) throw problem(gone)

  if (!(await finishInvitation(tx, invitation, { status: 'declined' }))) throw problem(answered)
  await record(tx, unknownActor({ ...caller, email }), 'invitations.decline', invitationSubject(invitation))
}
