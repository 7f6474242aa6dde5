import { RuleViolation, type StoryContext } from '../context.ts'
import { markOpened, markPasswordShown, replacePassword } from '../effects.ts'
import type { Model } from '../model.ts'
import { type Account, type Membership, rankOf, type Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'
import { assertAllowed, covers, pairWithTarget } from './authority.ts'
/** Whether the account may replace the target's password; undefined when the model does not decide. */
export function canReplacePassword(model: Model, session: Session, target: Membership): boolean | undefined {
  const { account, company } = target
  if (account.managedBy !== company || account === session.account) return false
  // The receiver of an ownership offer counts as an owner while the offer is open.
  const isOwner = model.membershipOf(company, session.account)?.role === 'Owner'
  if (!isOwner && model.companies.some(({ offer }) => offer?.to === account)) return undefined
  const others = model.memberships.filter(
    (each) => each.account === account && each.company !== company && each.isOpened,
  )
  const own = others.map((each) => ({ each, own: model.membershipOf(each.company, session.account) }))
  if (own.some(({ own: mine }) => mine && !mine.isOpened)) return undefined
  return own.every(({ each, own: mine }) => {
    const isThere =
      mine !== undefined && model.canEnter(session, mine.company) && rankOf(mine.role) >= rankOf('Manager')
    return isThere && rankOf(mine.role) >= rankOf(each.role)
  })
}

const pickManagedMember = (model: Model, choices: Choices) => {
  const found = pairWithTarget(model, choices, 'Manager')
  if (!found) return undefined
  const managed = model.memberships.filter(
    ({ company, account }) => company === found.company && account.managedBy === company,
  )
  return { ...found, target: (choices.oneIn(3) ? undefined : choices.of(managed)) ?? found.target }
}

export const resetPassword: Action = (model, choices) => {
  const found = pickManagedMember(model, choices)
  if (!found) return undefined
  const { session, company, target } = found
  const { account } = target
  return {
    text: `${session.holder.name} resets the password of ${account.name} in ${company.name}`,
    async run(context) {
      const isAllowed = covers(model, session, target)
      const replaces = canReplacePassword(model, session, target)
      markOpened(model, session, company)
      const answer = await context.send('POST', `/companies/users/${account.id}/reset-password`, { session, company })
      if (answer.status === 403 && isAllowed && replaces && model.isFresh(session))
        throw new RuleViolation(
          'what is valid works',
          `${company.name} manages ${account.name}, but cannot reset its password`,
        )
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed && replaces !== false, `${session.holder.name} resets the password of ${account.name}`)
      const text = answer.body.data.temporaryPassword
      const shownTo = { account: session.account, at: model.next() }
      replacePassword(model, account, text, { why: `shown to ${session.holder.name}`, shownTo })
      model.learn(session.holder, account, text)
      markPasswordShown(model, account, company)
      return outcome(answer)
    },
  }
}

export const emailPassword: Action = (model, choices) => {
  const found = pickManagedMember(model, choices)
  if (!found || !model.canEmail('password_reset', found.target.account.email)) return undefined
  const { session, company, target } = found
  return {
    text: `${session.holder.name} emails a new password to ${target.account.name} in ${company.name}`,
    async run(context) {
      const isAllowed = covers(model, session, target)
      const replaces = canReplacePassword(model, session, target)
      markOpened(model, session, company)
      const path = `/companies/users/${target.account.id}/reset-password-email`
      const answer = await context.send('POST', path, { session, company })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} emails a password to ${target.account.name}`)
      const { replaced } = answer.body.data
      if (replaces !== undefined && replaced !== replaces)
        throw new RuleViolation(
          'an email replaces the password of accounts that could be taken over alone',
          `replaced: ${replaced}`,
        )
      await learnEmailedPassword(context, target.account, replaced)
      return outcome(answer)
    },
  }
}

export async function learnEmailedPassword(context: StoryContext, account: Account, replaces: boolean): Promise<void> {
  const { model } = context
  const sent = (await context.secretsFor(account)).find(({ purpose }) => !purpose)
  if (!sent) return
  const how = { why: `emailed to ${sent.to}`, emailedTo: sent.to }
  if (replaces) replacePassword(model, account, sent.secret, how)
  else account[account.chosen ? 'temporary' : 'second'] = { text: sent.secret, since: model.now, ...how }
}
