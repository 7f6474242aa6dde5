import { enter } from '../effects.ts'
import { type Account, rankOf, type SecretEmail } from '../facts.ts'
import type { Model } from '../model.ts'
import { readerOf } from '../people.ts'
import { type Deed, outcome, type Picks } from '../steps.ts'
import { insider, judgeRight, mayAct, roleIn } from './insiders.ts'
import { learnMember } from './members.ts'
import { learnMailedPassword, mayReplace } from './resets.ts'
import { applyVerification, judgeLink } from './secrets.ts'

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
    text: `${session.holder.name} has a password mailed to ${account.name} in ${company.name} while ${readerOf(email.to).name} moves it to ${email.to}`,
    async run(stage) {
      const replaces = mayReplace(model, session, target)
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
    text: `${session.holder.name} adds ${address} to ${company.name} while ${readerOf(email.to).name} moves ${account.name} to ${email.to}`,
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
