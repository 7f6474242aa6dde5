import { enter, replacePassword, show } from '../effects.ts'
import { type Account, type Membership, rankOf, type Session } from '../facts.ts'
import type { Model } from '../model.ts'
import { Broken, type Stage } from '../stage.ts'
import { type Deed, outcome, type Picks } from '../steps.ts'
import { covers, judgeRight, pairWithTarget } from './insiders.ts'
/** Whether this caller may take the account over: in each company that counts for it. Undefined: not told. */
export function canReplacePassword(model: Model, session: Session, target: Membership): boolean | undefined {
  const { account, company } = target
  if (account.managedBy !== company || account === session.account) return false
  // Who may become an Owner by accepting counts as one, for as long as the offer holds.
  const isOwner = model.membershipOf(company, session.account)?.role === 'Owner'
  if (!isOwner && model.companies.some(({ offer }) => offer?.to === account)) return undefined
  const others = model.memberships.filter(
    (each) => each.account === account && each.company !== company && each.isOpened,
  )
  const own = others.map((each) => ({ each, own: model.membershipOf(each.company, session.account) }))
  if (own.some(({ own: mine }) => mine && !mine.isOpened)) return undefined
  return own.every(({ each, own: mine }) => {
    const isThere = mine !== undefined && model.isOpen(mine) && rankOf(mine.role) >= rankOf('Manager')
    return isThere && rankOf(mine.role) >= rankOf(each.role)
  })
}

const managedFirst = (model: Model, picks: Picks) => {
  const found = pairWithTarget(model, picks, 'Manager')
  if (!found) return undefined
  const managed = model.memberships.filter(
    ({ company, account }) => company === found.company && account.managedBy === company,
  )
  return { ...found, target: (picks.oneIn(3) ? undefined : picks.of(managed)) ?? found.target }
}

export const showsPassword: Deed = (model, picks) => {
  const found = managedFirst(model, picks)
  if (!found) return undefined
  const { session, company, target } = found
  const { account } = target
  return {
    text: `${session.holder.name} has a new password of ${account.name} shown in ${company.name}`,
    async run(stage) {
      const may = covers(model, session, target)
      const replaces = canReplacePassword(model, session, target)
      enter(model, session, company)
      const answer = await stage.send('POST', `/companies/users/${account.id}/reset-password`, { session, company })
      if (answer.status === 403 && may && replaces)
        throw new Broken(
          'what has a reason works',
          `${company.name} manages ${account.name}, and may not reset its password`,
        )
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may && replaces !== false, `${session.holder.name} takes ${account.name} over`)
      const text = answer.body.data.temporaryPassword
      replacePassword(model, account, text, { why: `shown to ${session.holder.name}` })
      model.learn(session.holder, account, text)
      show(model, account, company)
      return outcome(answer)
    },
  }
}

export const mailsPassword: Deed = (model, picks) => {
  const found = managedFirst(model, picks)
  if (!found || !model.mayMail('password_reset', found.target.account.email)) return undefined
  const { session, company, target } = found
  return {
    text: `${session.holder.name} has a new password mailed to ${target.account.name} in ${company.name}`,
    async run(stage) {
      const may = covers(model, session, target)
      const replaces = canReplacePassword(model, session, target)
      enter(model, session, company)
      const path = `/companies/users/${target.account.id}/reset-password-email`
      const answer = await stage.send('POST', path, { session, company })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may, `${session.holder.name} has a password of ${target.account.name} mailed`)
      await learnMailedPassword(stage, target.account, replaces === true)
      return outcome(answer)
    },
  }
}

export async function learnMailedPassword(stage: Stage, account: Account, replaces: boolean): Promise<void> {
  const { model } = stage
  const [letter] = await stage.secretsFor(account)
  if (!letter) return
  const how = { why: `mailed to ${letter.to}`, mailedTo: letter.to }
  if (replaces) replacePassword(model, account, letter.secret, how)
  else account[account.chosen ? 'temporary' : 'second'] = { text: letter.secret, since: model.now, ...how }
}
