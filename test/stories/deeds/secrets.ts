import { endSessions, moveTo, outdate, prove } from '../effects.ts'
import type { Account, SecretEmail, Session } from '../facts.ts'
import type { Model } from '../model.ts'
import { allAddresses, type Person, withCompanyLocale } from '../people.ts'
import { Broken, type Stage } from '../stage.ts'
import { type Deed, outcome, type Picks } from '../steps.ts'

export const changesPassword: Deed = (model, picks) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each))
  const mustChange = sessions.filter((each) => each.mustChange)
  const session = picks.of(mustChange.length > 0 && !picks.oneIn(5) ? mustChange : sessions)
  const known = session && knownFor(model, picks, session)
  if (!session || !known) return undefined
  const { holder, account } = session
  const path = session.mustChange && picks.oneIn(2) ? 'change-temporary-password' : 'change-password'
  return {
    text: `${holder.name} changes the password of ${account.name} (${path})`,
    async run(stage) {
      const text = model.newPassword(holder)
      const match = model.passwordOf(account, known)
      const body = { currentPassword: known, newPassword: text }
      const answer = await stage.send('POST', `/auth/${path}`, { session, body })
      if (answer.status !== 200 && match && answer.status !== 429)
        throw new Broken('what has a reason works', `the password ${match.password.why} as current one`)
      if (answer.status !== 200) return outcome(answer)
      if (!match) throw new Broken('a password works for a living reason', `an old password of ${account.name}`)
      applyChange(model, session, text)
      if (match.password.mailedTo === account.email) prove(model, account)
      return outcome(answer)
    },
  }
}

/** Every other session ends, and so does whatever was mailed before. */
export function applyChange(model: Model, session: Session, text: string): void {
  const { account, holder } = session
  outdate(account)
  account.chosen = { text, why: `chosen by ${holder.name}`, since: model.now }
  model.learn(holder, account, text)
  endSessions(model, account, session)
  session.mustChange = false
}

function knownFor(model: Model, picks: Picks, { account, holder }: Session): string | undefined {
  const own = model.known.filter((each) => each.account === account && each.person === holder)
  const works = own.filter(({ text }) => model.passwordOf(account, text))
  return picks.of(picks.oneIn(6) ? own : works)?.text
}

export const asksForRecovery: Deed = (model, picks) => {
  const account = picks.of(model.accounts)
  if (!account || !model.mayMail('reset_password', account.email)) return undefined
  return {
    text: `${withCompanyLocale(account.email).name} asks for the recovery of ${account.email}`,
    async run(stage) {
      const answer = await stage.send('POST', '/auth/forgot-password', { body: { email: account.email } })
      await stage.secretsFor(account)
      return outcome(answer)
    },
  }
}

/** Whoever reads the mailbox, also of links that were used or replaced. */
export const followsLink: Deed = (model, picks) => {
  const links = model.emails.filter(({ purpose }) => purpose)
  const good = links.filter(({ account, purpose, secret }) => purpose && model.linkHolds(account, purpose, secret))
  const email = picks.of(picks.oneIn(4) ? links : good)
  if (!email) return undefined
  const reader = withCompanyLocale(email.to)
  return {
    text: `${reader.name} follows the link ${email.purpose} that was mailed to ${email.to}`,
    run: (stage) => (email.purpose === 'reset_password' ? recover(stage, reader, email) : verify(stage, email)),
  }
}

async function recover(stage: Stage, reader: Person, { account, secret }: SecretEmail): Promise<string> {
  const { model } = stage
  const text = model.newPassword(reader)
  const body = { token: secret, newPassword: text }
  const answer = await stage.send('POST', '/auth/reset-password', { body })
  judgeLink(model, account, 'reset_password', secret, answer.status)
  if (answer.status !== 200) return outcome(answer)
  outdate(account)
  account.pendingEmail = undefined
  account.chosen = { text, why: `chosen by ${reader.name}`, since: model.now }
  model.learn(reader, account, text)
  endSessions(model, account)
  prove(model, account)
  return outcome(answer)
}

async function verify(stage: Stage, { account, purpose, secret }: SecretEmail): Promise<string> {
  const { model } = stage
  const answer = await stage.send('POST', '/auth/verify-email', { body: { token: secret } })
  if (purpose) judgeLink(model, account, purpose, secret, answer.status)
  if (answer.status === 200) applyVerification(model, account, purpose === 'change_email')
  return outcome(answer)
}

export function applyVerification(model: Model, account: Account, isChange: boolean): void {
  if (isChange) moveTo(model, account, account.pendingEmail as string)
  else {
    delete account.links.confirm_email
    prove(model, account)
  }
}

export function judgeLink(
  model: Model,
  account: Account,
  purpose: NonNullable<SecretEmail['purpose']>,
  token: string,
  status: number,
): void {
  const holds = model.linkHolds(account, purpose, token)
  if (status === 200 && !holds) throw new Broken('a link works for a living reason', `${purpose} of ${account.name}`)
  if (status === 400 && holds) throw new Broken('what has a reason works', `the link ${purpose} of ${account.name}`)
}

export const asksForAddress: Deed = (model, picks) => {
  const session = picks.of(model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange))
  if (!session) return undefined
  const { holder, account } = session
  const others = allAddresses.filter((address) => address !== account.email)
  const own = others.filter((address) => holder.addresses.includes(address))
  const email = picks.of(own.length > 0 && !picks.oneIn(4) ? own : others) as string
  if (!model.mayMail('change_email', email)) return undefined
  return {
    text: `${holder.name} asks that ${account.name} use ${email}`,
    async run(stage) {
      const answer = await stage.send('PUT', '/auth/profile', { session, body: { email } })
      if (answer.status !== 200) return outcome(answer)
      account.pendingEmail = email
      delete account.links.change_email
      await stage.secretsFor(account)
      return outcome(answer)
    },
  }
}

export const cancelsAddress: Deed = (model, picks) => {
  const waiting = model.sessions.filter(
    (each) => model.isSignedIn(each) && !each.mustChange && each.account.pendingEmail !== undefined,
  )
  const session = picks.of(waiting)
  if (!session) return undefined
  const { holder, account } = session
  return {
    text: `${holder.name} gives up ${account.pendingEmail} for ${account.name}`,
    async run(stage) {
      const answer = await stage.send('POST', '/auth/profile/email/cancel', { session })
      if (answer.status !== 200) return outcome(answer)
      account.pendingEmail = undefined
      delete account.links.change_email
      return outcome(answer)
    },
  }
}
