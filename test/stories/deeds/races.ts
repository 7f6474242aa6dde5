import { enter } from '../effects.ts'
import { type Account, rankOf, type SecretEmail, type Session } from '../facts.ts'
import type { Model } from '../model.ts'
import { allAddresses, withCompanyLocale } from '../people.ts'
import { type Deed, outcome, type Picks } from '../steps.ts'
import { insider, judgeRight, mayAct, roleIn } from './insiders.ts'
import { learnMember } from './members.ts'
import { canReplacePassword, learnMailedPassword } from './resets.ts'
import { applyChange, applyVerification, judgeLink } from './secrets.ts'

// Two requests at once, of which the second has looked at the address before the first changes it.

/** A link that changes an account's address now. */
function changeUnderWay(model: Model, picks: Picks): SecretEmail | undefined {
  return picks.of(
    model.emails.filter(
      ({ account, purpose, secret, to }) =>
        purpose === 'change_email' &&
        model.linkHolds(account, purpose, secret) &&
        !model.accounts.some(({ email }) => email === to),
    ),
  )
}

const verification = ({ secret }: SecretEmail) => ({
  method: 'POST',
  path: '/auth/verify-email',
  body: { token: secret },
})

export const mailsPasswordWhileAddressChanges: Deed = (model, picks) => {
  const email = changeUnderWay(model, picks)
  const account = email?.account as Account
  const places = model.memberships.filter((each) => each.account === account)
  const able = places.flatMap((target) =>
    model.sessions
      .filter((session) => session.account !== account && mayAct(model, session, target.company, 'Manager'))
      .filter((session) => rankOf(roleIn(model, session, target.company)) >= rankOf(target.role))
      .map((session) => ({ session, target })),
  )
  const pair = picks.of(able)
  if (!email || !pair || !model.mayMail('password_reset', account.email)) return undefined
  const { session, target } = pair
  const { company } = target
  return {
    text: `${session.holder.name} has a password mailed to ${account.name} in ${company.name} while ${withCompanyLocale(email.to).name} moves it to ${email.to}`,
    async run(stage) {
      const replaces = canReplacePassword(model, session, target)
      const path = `/companies/users/${account.id}/reset-password-email`
      enter(model, session, company)
      const { path: verify, body } = verification(email)
      const [first, second] = await stage.real.race(
        account.id,
        () => stage.send('POST', verify, { body }),
        () => stage.send('POST', path, { session, company }),
      )
      judgeLink(model, account, 'change_email', email.secret, first.status)
      if (first.status === 200) applyVerification(model, account, true)
      if (second.status === 200) await learnMailedPassword(stage, account, replaces === true)
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}

export const addsWhileAddressChanges: Deed = (model, picks) => {
  const email = changeUnderWay(model, picks)
  const account = email?.account as Account
  const pair = insider(model, picks, 'Manager')
  if (!email || !pair || model.membershipOf(pair.company, account)) return undefined
  if (!mayAct(model, pair.session, pair.company, 'Manager') || pair.session.account === account) return undefined
  const { session, company } = pair
  const address = account.email
  return {
    text: `${session.holder.name} adds ${address} to ${company.name} while ${withCompanyLocale(email.to).name} moves ${account.name} to ${email.to}`,
    async run(stage) {
      const { path, body } = verification(email)
      const member = { name: 'Somebody', email: address }
      enter(model, session, company)
      const [first, second] = await stage.real.race(
        account.id,
        () => stage.send('POST', path, { body }),
        () => stage.send('POST', '/companies/users', { session, company, body: member }),
      )
      judgeLink(model, account, 'change_email', email.secret, first.status)
      if (first.status === 200) applyVerification(model, account, true)
      if (second.status === 201) await learnMember(stage, company, address, 'Member', second.body.data)
      judgeRight(second.status !== 200, 'an addition answers 201')
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}

export const asksForAddressWhilePasswordChanges: Deed = (model, picks) => {
  const able = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const known = (session: Session) =>
    model.known.find(
      ({ account, person, text }) =>
        account === session.account && person === session.holder && account.chosen?.text === text,
    )?.text
  const pairs = able.flatMap((changing) =>
    known(changing) === undefined
      ? []
      : able
          .filter((each) => each !== changing && each.account === changing.account)
          .map((asking) => ({ changing, asking })),
  )
  const pair = picks.of(pairs)
  const address = picks.of(allAddresses)
  if (!pair || !address || address === pair.asking.account.email || !model.mayMail('change_email', address))
    return undefined
  const { changing, asking } = pair
  const { account } = asking
  return {
    text: `another session of ${asking.holder.name} asks that ${account.name} use ${address} while ${changing.holder.name} changes the password`,
    async run(stage) {
      const text = model.newPassword(changing.holder)
      const change = { currentPassword: known(changing), newPassword: text }
      const [first, second] = await stage.real.race(
        account.id,
        () => stage.send('POST', '/auth/change-password', { session: changing, body: change }),
        () => stage.send('PUT', '/auth/profile', { session: asking, body: { email: address } }),
      )
      if (first.status !== 200) return `${outcome(first)}, ${outcome(second)}`
      judgeRight(second.status !== 200, `a session of ${account.name} that has ended asks for ${address}`)
      applyChange(model, changing, text)
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}
