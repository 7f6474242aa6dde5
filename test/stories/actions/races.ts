import { markOpened } from '../effects.ts'
import type { Model } from '../model.ts'
import { allAddresses, mailboxOwner } from '../people.ts'
import { type Account, rankOf, type SecretEmail, type Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'
import { assertAllowed, canAct, roleIn, signedInWithRole } from './authority.ts'
import { learnMember } from './members.ts'
import { learnEmailedPassword } from './resets.ts'
import { applyChange, applyVerification, checkLink, learnPendingAddress } from './secrets.ts'

// Two parallel requests: the second reads the address before the first changes it.

/** A valid link that changes an account's address. */
function pendingAddressChange(model: Model, choices: Choices): SecretEmail | undefined {
  return choices.of(
    model.emails.filter(
      ({ account, purpose, secret, to }) =>
        purpose === 'change_email' &&
        model.isLinkValid(account, purpose, secret) &&
        !model.accounts.some(({ email }) => email === to),
    ),
  )
}

const verification = ({ secret }: SecretEmail) => ({
  method: 'POST',
  path: '/auth/verify-email',
  body: { token: secret },
})

export const emailPasswordDuringAddressChange: Action = (model, choices) => {
  const email = pendingAddressChange(model, choices)
  const account = email?.account as Account
  const memberships = model.memberships.filter((each) => each.account === account)
  const able = memberships.flatMap((target) =>
    model.sessions
      .filter((session) => session.account !== account && canAct(model, session, target.company, 'Manager'))
      .filter((session) => rankOf(roleIn(model, session, target.company)) >= rankOf(target.role))
      .map((session) => ({ session, target })),
  )
  const pair = choices.of(able)
  if (!email || !pair || !model.canEmail('password_reset', account.email)) return undefined
  const { session, target } = pair
  const { company } = target
  return {
    text: `${session.holder.name} emails a password to ${account.name} in ${company.name} while ${mailboxOwner(email.to).name} changes the address to ${email.to}`,
    async run(context) {
      const path = `/companies/users/${account.id}/reset-password-email`
      markOpened(model, session, company)
      const { path: verify, body } = verification(email)
      const [first, second] = await context.real.race(
        account.id,
        () => context.send('POST', verify, { body }),
        () => context.send('POST', path, { session, company }),
      )
      checkLink(model, account, 'change_email', email.secret, first.status)
      if (first.status === 200) applyVerification(model, account, true)
      if (second.status === 200) await learnEmailedPassword(context, account, second.body.data.replaced)
      await context.secretsFor(account)
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}

export const addMemberDuringAddressChange: Action = (model, choices) => {
  const email = pendingAddressChange(model, choices)
  const account = email?.account as Account
  const pair = signedInWithRole(model, choices, 'Manager')
  if (!email || !pair || model.membershipOf(pair.company, account)) return undefined
  if (!canAct(model, pair.session, pair.company, 'Manager') || pair.session.account === account) return undefined
  const { session, company } = pair
  const address = account.email
  return {
    text: `${session.holder.name} adds ${address} to ${company.name} while ${mailboxOwner(email.to).name} changes the address of ${account.name} to ${email.to}`,
    async run(context) {
      const { path, body } = verification(email)
      const member = { name: 'New Member', email: address }
      markOpened(model, session, company)
      const [first, second] = await context.real.race(
        account.id,
        () => context.send('POST', path, { body }),
        () => context.send('POST', '/companies/users', { session, company, body: member }),
      )
      checkLink(model, account, 'change_email', email.secret, first.status)
      if (first.status === 200) applyVerification(model, account, true)
      if (second.status === 201) await learnMember(context, company, address, 'Member', second.body.data)
      await context.secretsFor(account)
      assertAllowed(second.status !== 200, 'an addition answers 201')
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}

export const requestAddressChangeDuringPasswordChange: Action = (model, choices) => {
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
  const pair = choices.of(pairs)
  const address = choices.of(allAddresses)
  if (!pair || !address || address === pair.asking.account.email || !model.canEmail('change_email', address))
    return undefined
  const { changing, asking } = pair
  const { account } = asking
  return {
    text: `another session of ${asking.holder.name} requests the address ${address} for ${account.name} while ${changing.holder.name} changes the password`,
    async run(context) {
      const text = model.newPassword(changing.holder)
      const change = { currentPassword: known(changing), newPassword: text }
      const [first, second] = await context.real.race(
        account.id,
        () => context.send('POST', '/auth/change-password', { session: changing, body: change }),
        () => context.send('PUT', '/auth/profile', { session: asking, body: { email: address } }),
      )
      if (first.status === 200) {
        assertAllowed(second.status !== 200, `a session of ${account.name} that has ended requests ${address}`)
        applyChange(model, changing, text)
      } else if (second.status === 200) await learnPendingAddress(context, account, address)
      return `${outcome(first)}, ${outcome(second)}`
    },
  }
}
