import { beginSession, RuleViolation, type StoryContext } from '../context.ts'
import { join, markOpened, verifyAddress } from '../effects.ts'
import { isFormerAddress } from '../former-addresses.ts'
import type { Model } from '../model.ts'
import { allAddresses, mailboxOwner, type Person } from '../people.ts'
import { type Company, type Invitation, ROLES, type Role, rankOf, type Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'
import { assertAllowed, canAct, roleIn, signedInWithRole } from './authority.ts'
import { pickVerified, proveMailbox } from './mailbox.ts'
import { assertNotReserved } from './secrets.ts'
import { newAccount } from './signing-in.ts'

const ACCOUNTS_MAX = 6

const canInvite = (model: Model, session: Session, company: Company, role: Role) =>
  canAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)

/** By email, or by a link for two people, which its reader passes on to everyone. */
export const invite: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Manager')
  const free = allAddresses.filter((address) => !model.accounts.some(({ email }) => email === address))
  const email = choices.oneIn(3) ? undefined : choices.of(choices.oneIn(2) && free.length > 0 ? free : allAddresses)
  const role = choices.of(ROLES) as Role
  if (!pair || (email && !model.canEmail('invitation', email))) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} ${email ? `invites ${email}` : 'creates an invitation link'} to ${company.name} as ${role}`,
    async run(context) {
      const isAllowed = canInvite(model, session, company, role)
      markOpened(model, session, company)
      const body = { roleIds: [company.roleIds[role]], ...(email ? { email } : { maxUses: 2 }) }
      const path = email ? '/companies/invitations' : '/companies/invitation-links'
      const answer = await context.send('POST', path, { session, company, body })
      if (answer.status !== 201) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} invites to ${company.name} as ${role}`)
      const { id } = answer.body.data
      const token = email ? await tokenSentTo(context, email) : answer.body.data.token
      const kind = email ? 'email' : 'link'
      const life = { former: [], since: model.now, vouchedAt: model.next(), usesLeft: email ? 1 : 2, isOver: false }
      model.invitations.push({ kind, id, company, role, email, token, voucher: session.account, ...life })
      return outcome(answer)
    },
  }
}

async function tokenSentTo(context: StoryContext, email: string): Promise<string> {
  const token = await context.findInEmail('invitation', email, /[?&]token=([\w-]+)/)
  if (!token) throw new RuleViolation('an invitation is emailed to its address', email)
  return token
}

/** Sends it again, or revokes it. */
export const changeInvitation: Action = (model, choices) => {
  const invitation = choices.of(model.invitations.filter(({ isOver }) => !isOver))
  const pair = signedInWithRole(model, choices, 'Manager')
  const isResent = invitation?.kind === 'email' && !choices.oneIn(3)
  if (!pair || !invitation || (isResent && !model.canEmail('invitation', invitation.email ?? ''))) return undefined
  const { session, company } = pair
  const { id, email, role } = invitation
  return {
    text: `${session.holder.name} in ${company.name} ${isResent ? 'sends again' : 'revokes'} the invitation of ${email ?? 'a link'} to ${invitation.company.name}`,
    async run(context) {
      const isAllowed = company === invitation.company && canInvite(model, session, company, role)
      markOpened(model, session, company)
      const path = `/companies/${email ? 'invitations' : 'invitation-links'}/${id}`
      const answer = isResent
        ? await context.send('POST', `${path}/resend`, { session, company })
        : await context.send('DELETE', path, { session, company })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} changes an invitation to ${invitation.company.name}`)
      if (isResent) {
        invitation.former.push(invitation.token)
        const token = await tokenSentTo(context, email as string)
        Object.assign(invitation, { token, since: model.now, voucher: session.account, vouchedAt: model.next() })
      } else invitation.isOver = true
      return outcome(answer)
    },
  }
}

/** Mostly what can still be answered. */
function pick(model: Model, choices: Choices, kind: Invitation['kind']): Invitation | undefined {
  const all = model.invitations.filter((each) => each.kind === kind)
  const pending = all.filter(({ isOver }) => !isOver)
  return choices.of(choices.oneIn(4) || pending.length === 0 ? all : pending)
}

/** The token that its reader has, sometimes one that was replaced. */
const tokenOf = (choices: Choices, { token, former }: Invitation) => (choices.oneIn(4) && choices.of(former)) || token

/** Also by people who are signed in with other addresses, or with the right one without its mailbox. */
export const acceptByToken: Action = (model, choices) => {
  const invitation = pick(model, choices, 'email')
  const reader = invitation && mailboxOwner(invitation.email as string)
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && each.holder === reader)
  const matching = sessions.filter(({ account }) => account.email === invitation?.email)
  const session = choices.of(matching.length > 0 && !choices.oneIn(4) ? matching : sessions)
  if (!invitation || !session) return undefined
  const token = tokenOf(choices, invitation)
  const { company, email } = invitation
  return {
    text: `${session.holder.name} accepts the invitation of ${email} to ${company.name} with the account ${session.account.name}`,
    async run(context) {
      const answer = await context.send('POST', '/auth/invitations/accept', { session, body: { token } })
      await context.real.newEmails()
      if (answer.status !== 200) return refused(model, invitation, session, answer)
      learnAcceptance(model, invitation, session, token === invitation.token && session.account.email === email)
      verifyAddress(model, session.account)
      return outcome(answer)
    },
  }
}

/** Without the token: for the reader of the mailbox of the account that is signed in. */
export const answerById: Action = (model, choices) => {
  const invitation = pick(model, choices, 'email')
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const matching = sessions.filter(({ account }) => account.email === invitation?.email && account.isVerified)
  const session = choices.of(matching.length > 0 && !choices.oneIn(4) ? matching : sessions)
  if (!invitation || !session || !model.canEmail('mailbox_code', session.account.email)) return undefined
  const verb = choices.oneIn(4) ? 'decline' : 'accept'
  const { company, email } = invitation
  return {
    text: `${session.holder.name} ${verb}s the invitation of ${email} to ${company.name} by its id with the account ${session.account.name}`,
    async run(context) {
      const path = `/auth/invitations/${invitation.id}/${verb}`
      const answer = await proveMailbox(context, session, 'joining', (emailCode) =>
        context.send('POST', path, { session, body: { ...(emailCode && { emailCode }) } }),
      )
      await context.real.newEmails()
      if (answer.status !== 200)
        return verb === 'accept' ? refused(model, invitation, session, answer) : outcome(answer)
      const { account } = session
      const isOwn = account.email === email && session.provedEmails.joining === email
      if (verb === 'accept') learnAcceptance(model, invitation, session, isOwn)
      else {
        assertAllowed(isOwn && !invitation.isOver, `${session.holder.name} declines for ${email}`)
        invitation.isOver = true
      }
      return outcome(answer)
    },
  }
}

export const joinByLink: Action = (model, choices) => {
  const link = pick(model, choices, 'link')
  const session = pickVerified(model, choices)
  if (!link || !session || !model.canEmail('mailbox_code', session.account.email)) return undefined
  const { company, token } = link
  return {
    text: `${session.holder.name} joins ${company.name} by a link with the account ${session.account.name}`,
    async run(context) {
      const answer = await proveMailbox(context, session, 'joining', (emailCode) =>
        context.send('POST', '/auth/invitation-links/join', {
          session,
          body: { token, ...(emailCode && { emailCode }) },
        }),
      )
      if (answer.status !== 200) return refused(model, link, session, answer)
      const { account } = session
      learnAcceptance(model, link, session, session.provedEmails.joining === account.email)
      return outcome(answer)
    },
  }
}

/** A membership that is there already stays as it is. */
function learnAcceptance(model: Model, invitation: Invitation, session: Session, isForHolder: boolean): void {
  const { company, role, kind } = invitation
  const { account } = session
  const what = `${session.holder.name} joins ${company.name} as ${role} with the account ${account.name}`
  assertAllowed(isForHolder, what)
  if (!model.membershipOf(company, account)) {
    assertAllowed(model.admits(invitation, account), what)
    join(model, company, account, role)
    invitation.usesLeft--
  }
  if (kind === 'email') invitation.isOver = true
}

/** A refusal for what its voucher can't give any more ends it. */
function refused(model: Model, invitation: Invitation, { account }: Session, answer: Parameters<typeof outcome>[0]) {
  if (answer.body?.code === 'invitation_no_longer_valid' && !model.vouches(invitation)) invitation.isOver = true
  // An undo of a change of address makes members inactive, of which the model knows nothing.
  const mayBeKnown = isFormerAddress(model, invitation.company, account.email)
  if (answer.body?.code === 'invitation_no_longer_valid' && model.admits(invitation, account) && !mayBeKnown)
    throw new RuleViolation('what is valid works', `an invitation to ${invitation.company.name}`)
  return outcome(answer)
}

/** The reader of the mailbox, who has no account with the address yet. */
export const registerInvited: Action = (model, choices) => {
  const waiting = model.invitations.filter(
    ({ isOver, email }) => !isOver && email && !model.accounts.some((account) => account.email === email),
  )
  const invitation = choices.oneIn(4) ? pick(model, choices, 'email') : choices.of(waiting)
  if (!invitation || model.accounts.length >= ACCOUNTS_MAX) return undefined
  const token = tokenOf(choices, invitation)
  const { company, role } = invitation
  const email = invitation.email as string
  const reader: Person = mailboxOwner(email)
  return {
    text: `${reader.name} registers by the invitation of ${email} to ${company.name}`,
    async run(context) {
      const password = model.newPassword(reader)
      const body = { token, name: reader.name, password }
      const answer = await context.send('POST', '/auth/invitations/register', { body })
      await context.real.newEmails()
      if (answer.status !== 201) return outcome(answer)
      assertNotReserved(model, email)
      const { data } = answer.body
      const account = newAccount(data.user.id, email)
      Object.assign(account, {
        isVerified: true,
        chosen: { text: password, why: `chosen by ${reader.name}`, since: model.now },
      })
      const isFree = !model.accounts.some((each) => each.email === email)
      const isAllowed = isFree && token === invitation.token && model.admits(invitation, account)
      assertAllowed(isAllowed, `${reader.name} registers ${data.user.email} in ${company.name} as ${role}`)
      model.accounts.push(account)
      model.learn(reader, account, password)
      beginSession(model, account, reader, data, { why: 'registered by an invitation', mustChange: false })
      join(model, company, account, role)
      invitation.isOver = true
      return outcome(answer)
    },
  }
}
