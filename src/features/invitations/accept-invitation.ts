import type { Actor } from '../../access/actors.ts'
import { isInUse } from '../../access/memberships.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type ProblemCode, problem } from '../../problems.ts'
import { type Account, assertPasswordNotShown, markEmailVerified, type OwnAccount } from '../accounts/accounts.ts'
import { assertMailboxProved, confirmMailbox } from '../accounts/confirm-mailbox.ts'
import { assertMayEnter } from '../accounts/entered-companies.ts'
import type { MailboxConfirmation } from '../accounts/schemas.ts'
import { type AuditActor, record, unseen } from '../audit/records.ts'
import { accountSubject, invitationSubject } from '../audit/subjects.ts'
import {
  admit,
  findAdmission,
  findLocked,
  finishInvitation,
  type LockedInvitation,
  type Refused,
  refuseInvitation,
} from './admission.ts'
import { type FoundInvitation, findByLink, findOwn, getInvitationLinkId } from './find-invitation.ts'
import { getJoinedCompany } from './joined-company.ts'
import { lockToJoin } from './lock-to-join.ts'
import type { JoinedCompany } from './schemas.ts'

interface Manner {
  config: Config
  /** Of a token that was read in the mailbox: it proves whose address it is. */
  linkId?: string
  /** For an invitation that is there no more, or that was answered. */
  gone: ProblemCode
  answered: ProblemCode
}

/** With the token in the email, signed in to the account that has the address. Repeating it gives the same response. */
export async function acceptByToken(deps: Deps, actor: Actor, token: string): Promise<JoinedCompany> {
  const linkId = getInvitationLinkId(deps.keys, token)
  return inAccount(deps, actor, async (tx) => {
    const found = await findByLink(tx, linkId)
    if (!found) throw problem('link_invalid')
    return accept(tx, actor, found, { config: deps.config, linkId, gone: 'link_invalid', answered: 'link_invalid' })
  })
}

/** Without the token: the session proves by a code that the invitation is for its user. */
export async function acceptById(
  deps: Deps,
  actor: Actor,
  id: string,
  given: MailboxConfirmation,
): Promise<JoinedCompany> {
  await getOwn(deps.database.autocommit(asAccount(actor.accountId)), actor, id)
  await confirmMailbox(deps, actor, given, 'joining')
  return inAccount(deps, actor, async (tx) => {
    const found = await getOwn(tx, actor, id)
    return accept(tx, actor, found, {
      config: deps.config,
      gone: 'invitation_not_found',
      answered: 'invitation_not_pending',
    })
  })
}

/** The refusal for an unverified address comes first, so that it tells nothing of invitations. */
export async function getOwn(tx: Tx, { accountId }: Actor, id: string): Promise<FoundInvitation> {
  const { email_verified_at } = await tx
    .selectFrom('accounts')
    .select('email_verified_at')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (email_verified_at === null) throw problem('email_verification_required')
  const found = await findOwn(tx, id)
  if (!found) throw problem('invitation_not_found')
  return found
}

async function inAccount(
  { database }: Deps,
  { accountId }: Actor,
  work: (tx: Tx) => Promise<JoinedCompany | Refused>,
): Promise<JoinedCompany> {
  const outcome = await database.write(asAccount(accountId), work)
  if ('refused' in outcome) throw problem(outcome.refused)
  return outcome
}

/** Everything that decides is read again under the locks: company first, then account. */
async function accept(
  tx: Tx,
  actor: Actor,
  found: FoundInvitation,
  { config, linkId, gone, answered }: Manner,
): Promise<JoinedCompany | Refused> {
  const readInvitation = () => findLocked(tx, found.id)
  const {
    isOpen,
    account,
    membership,
    found: invitation,
  } = await lockToJoin(tx, actor, found.company_id, readInvitation)
  if (!isOpen || !invitation || (linkId && invitation.link_id !== linkId)) throw problem(gone)
  assertInvited(account, invitation, { isProof: linkId !== undefined, gone })
  const isRepeated = membership !== undefined && invitation.accepted_by === account.id
  if (!invitation.is_pending && !isRepeated) throw problem(answered)

  if (!membership) assertMayEnter(config, account.waitToEnter)
  if (invitation.is_pending) {
    const refused = membership
      ? await acceptAsMember(tx, isInUse(membership) ? actor : unseen(actor), invitation, account)
      : await join(tx, actor, config, invitation, account)
    if (refused) return refused
  }
  const joined = await getJoinedCompany(tx, account.id)
  if (linkId) await verifyAddress(tx, actor, account)
  return joined
}

/** A record of the account, and not of the company. */
async function verifyAddress(tx: Tx, actor: Actor, { id, email }: Account): Promise<void> {
  await enterAccount(tx, id)
  if (await markEmailVerified(tx, id)) await record(tx, actor, 'accounts.verify_email', accountSubject({ id, email }))
}

function assertInvited(
  account: OwnAccount,
  { email }: LockedInvitation,
  { isProof, gone }: { isProof: boolean; gone: ProblemCode },
): void {
  if (account.email !== email) throw problem(isProof ? 'invitation_for_another' : gone)
  if (!isProof && account.email_verified_at === null) throw problem('email_verification_required')
  if (!isProof) assertMailboxProved(account, 'joining')
  // Otherwise an administrator who knows the password could join in the place of the owner of the address.
  assertPasswordNotShown(account)
}

async function join(
  tx: Tx,
  actor: Actor,
  config: Config,
  invitation: LockedInvitation,
  account: Account,
): Promise<Refused | undefined> {
  const admission = await findAdmission(tx, invitation, account.id)
  if (!admission) return refuseInvitation(tx, actor, invitation)
  await admit(tx, actor, config, invitation, account, admission)
  return undefined
}

/** The account became a member in another way: it stays one as it is, whatever the invitation says. */
async function acceptAsMember(
  tx: Tx,
  actor: AuditActor,
  invitation: LockedInvitation,
  account: Account,
): Promise<undefined> {
  await Promise.all([
    finishInvitation(tx, invitation, { status: 'accepted', accepted_by: account.id }),
    record(tx, actor, 'invitations.accept', invitationSubject(invitation)),
  ])
}
