import { RuleViolation, type StoryContext } from '../context.ts'
import {
  changeAddress,
  endSessions,
  endUndosAfter,
  invalidateSecrets,
  regainAccount,
  removeFactors,
  undoAddressChange,
  verifyAddress,
} from '../effects.ts'
import type { Model } from '../model.ts'
import { allAddresses, mailboxOwner, type Person } from '../people.ts'
import type { Account, Password, SecretEmail, Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'

export const changePassword: Action = (model, choices) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each))
  const mustChange = sessions.filter((each) => each.mustChange)
  const session = choices.of(mustChange.length > 0 && !choices.oneIn(5) ? mustChange : sessions)
  const known = session && knownFor(model, choices, session)
  if (!session || !known) return undefined
  const { holder, account } = session
  const path = session.mustChange && choices.oneIn(2) ? 'change-temporary-password' : 'change-password'
  return {
    text: `${holder.name} changes the password of ${account.name} (${path})`,
    async run(context) {
      const text = model.newPassword(holder)
      const match = model.passwordOf(account, known)
      const isFresh = model.isFresh(session)
      const body = { currentPassword: known, newPassword: text }
      const answer = await context.send('POST', `/auth/${path}`, { session, body })
      const isDue = match && model.isStoodBy(match.password, account)
      if (answer.status !== 200 && isDue && answer.status !== 429 && isFresh)
        throw new RuleViolation('what is valid works', `the password ${match.password.why} as current one`)
      if (answer.status !== 200) return outcome(answer)
      if (!match) throw new RuleViolation('only valid passwords work', `an old password of ${account.name}`)
      applyChange(model, session, text)
      if (match.password.emailedTo === account.email) regainAccount(model, account)
      return outcome(answer)
    },
  }
}

/** Ends all other sessions, and invalidates all emailed secrets. */
export function applyChange(model: Model, session: Session, text: string): void {
  const { account, holder } = session
  invalidateSecrets(account)
  account.chosen = { text, why: `chosen by ${holder.name}`, since: model.now }
  model.learn(holder, account, text)
  endSessions(model, account, session)
  session.mustChange = false
}

function knownFor(model: Model, choices: Choices, { account, holder }: Session): string | undefined {
  const own = model.known.filter((each) => each.account === account && each.person === holder)
  const works = own.filter(({ text }) => model.passwordOf(account, text))
  return choices.of(choices.oneIn(6) ? own : works)?.text
}

export const requestPasswordReset: Action = (model, choices) => {
  const account = choices.of(model.accounts)
  if (!account || !model.canEmail('reset_password', account.email)) return undefined
  return {
    text: `${mailboxOwner(account.email).name} requests a password reset for ${account.email}`,
    async run(context) {
      const answer = await context.send('POST', '/auth/forgot-password', { body: { email: account.email } })
      await context.secretsFor(account)
      return outcome(answer)
    },
  }
}

/** The reader of the mailbox follows a link, sometimes a used or replaced one. */
export const followLink: Action = (model, choices) => {
  const links = model.emails.filter(({ purpose }) => purpose)
  const good = links.filter(({ account, purpose, secret }) => purpose && model.isLinkValid(account, purpose, secret))
  const email = choices.of(choices.oneIn(4) ? links : good)
  if (!email) return undefined
  const reader = mailboxOwner(email.to)
  return {
    text: `${reader.name} follows the link ${email.purpose} that was emailed to ${email.to}`,
    run: (context) => consumeLink(context, reader, email),
  }
}

function consumeLink(context: StoryContext, reader: Person, email: SecretEmail): Promise<string> {
  if (email.purpose === 'reset_password') return recover(context, reader, email)
  if (email.purpose === 'undo_factor_change') return undoFactorChange(context, email)
  return email.purpose === 'undo_email_change' ? undo(context, email) : verify(context, email)
}

async function undo(context: StoryContext, { account, secret }: SecretEmail): Promise<string> {
  const { model } = context
  const answer = await context.send('POST', '/auth/undo-email-change', { body: { token: secret } })
  checkLink(model, account, 'undo_email_change', secret, answer.status)
  const { isReserved } = account.undos.find(({ token }) => token === secret) ?? {}
  if (answer.status === 409 && isReserved)
    throw new RuleViolation('what is valid works', `the address of ${account.name} is taken`)
  if (answer.status !== 200) return outcome(answer)
  const former = account.chosen
  undoAddressChange(model, account, secret)
  await context.finishRecovery(account)
  await context.secretsFor(account)
  if (former) await checkFormerPassword(context, account, former)
  return outcome(answer)
}

/** “This was not me”: what was changed then and since, all recovery codes, every password and session go. */
async function undoFactorChange(
  context: StoryContext,
  { account, secret }: Pick<SecretEmail, 'account' | 'secret'>,
): Promise<string> {
  const { model } = context
  const answer = await context.send('POST', '/auth/undo-factor-change', { body: { token: secret } })
  checkLink(model, account, 'undo_factor_change', secret, answer.status)
  if (answer.status !== 200) return outcome(answer)
  const { changedAt } = account.factorUndos.find(({ token }) => token === secret) as Account['factorUndos'][number]
  account.factorUndos = account.factorUndos.filter((each) => each.changedAt < changedAt)
  removeFactors(account, (each) => each.addedAt >= changedAt)
  account.recoveryCodes = undefined
  invalidateSecrets(account)
  verifyAddress(model, account)
  Object.assign(account, { chosen: undefined, pendingEmail: undefined, recoveredAt: model.next() })
  endSessions(model, account)
  await context.finishRecovery(account)
  await context.secretsFor(account)
  return outcome(answer)
}

/** An intruder knows the password that was valid until the undo. */
async function checkFormerPassword(context: StoryContext, account: Account, { text, why }: Password): Promise<void> {
  const { status } = await context.send('POST', '/auth/login', { body: { email: account.email, password: text } })
  if (status === 200) throw new RuleViolation('only valid passwords work', `the password ${why} of ${account.name}`)
}

async function recover(context: StoryContext, reader: Person, { account, secret }: SecretEmail): Promise<string> {
  const { model } = context
  const text = model.newPassword(reader)
  const body = { token: secret, newPassword: text }
  const answer = await context.send('POST', '/auth/reset-password', { body })
  checkLink(model, account, 'reset_password', secret, answer.status)
  if (answer.status !== 200) return outcome(answer)
  invalidateSecrets(account)
  account.pendingEmail = undefined
  account.chosen = { text, why: `chosen by ${reader.name}`, since: model.now }
  model.learn(reader, account, text)
  endSessions(model, account)
  regainAccount(model, account)
  return outcome(answer)
}

async function verify(context: StoryContext, { account, purpose, secret }: SecretEmail): Promise<string> {
  const { model } = context
  const answer = await context.send('POST', '/auth/verify-email', { body: { token: secret } })
  if (purpose) checkLink(model, account, purpose, secret, answer.status)
  if (answer.status === 200) applyVerification(model, account, purpose === 'change_email')
  await context.secretsFor(account)
  return outcome(answer)
}

export function applyVerification(model: Model, account: Account, isChange: boolean): void {
  if (isChange) {
    assertNotReserved(model, account.pendingEmail as string, account)
    endUndosAfter(model, account, account.pendingEmail as string)
    changeAddress(model, account, account.pendingEmail as string)
  } else {
    delete account.links.confirm_email
    verifyAddress(model, account)
  }
}

export function checkLink(
  model: Model,
  account: Account,
  purpose: NonNullable<SecretEmail['purpose']>,
  token: string,
  status: number,
): void {
  const isValid = model.isLinkValid(account, purpose, token)
  if (status === 200 && !isValid) throw new RuleViolation('only valid links work', `${purpose} of ${account.name}`)
  if (status === 400 && isValid)
    throw new RuleViolation('what is valid works', `the link ${purpose} of ${account.name}`)
}

/** An address that a link can restore must go to no other account. */
export function assertNotReserved(model: Model, email: string, account?: Account): void {
  if (model.isReserved(email, account)) throw new RuleViolation('a reserved address is taken by no account', email)
}

/** Sometimes for an address that is verified already, or that belongs to another person. */
export const resendConfirmation: Action = (model, choices) => {
  const unverified = model.accounts.filter(({ isVerified }) => !isVerified)
  const account = choices.of(choices.oneIn(4) ? model.accounts : unverified)
  if (!account || !model.canEmail('confirm_email', account.email)) return undefined
  return {
    text: `the confirmation of ${account.email} is sent again`,
    async run(context) {
      const body = { email: account.email }
      const answer = await context.send('POST', '/auth/verify-email/resend', { body })
      const [sent] = await context.secretsFor(account)
      if (sent && (account.isVerified || account.isPasswordShown))
        throw new RuleViolation('only an unverified address is confirmed', account.name)
      return outcome(answer)
    },
  }
}

export const requestAddressChange: Action = (model, choices) => {
  const session = choices.of(model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange))
  if (!session) return undefined
  const { holder, account } = session
  const others = allAddresses.filter((address) => address !== account.email)
  const own = others.filter((address) => holder.addresses.includes(address))
  const email = choices.of(own.length > 0 && !choices.oneIn(4) ? own : others) as string
  if (!model.canEmail('change_email', email)) return undefined
  return {
    text: `${holder.name} requests the address ${email} for ${account.name}`,
    async run(context) {
      const answer = await context.send('PUT', '/auth/profile', { session, body: { email } })
      if (answer.status === 200) await learnPendingAddress(context, account, email)
      return outcome(answer)
    },
  }
}

export async function learnPendingAddress(context: StoryContext, account: Account, email: string): Promise<void> {
  account.pendingEmail = email
  delete account.links.change_email
  await context.secretsFor(account)
}

export const cancelAddressChange: Action = (model, choices) => {
  const waiting = model.sessions.filter(
    (each) => model.isSignedIn(each) && !each.mustChange && each.account.pendingEmail !== undefined,
  )
  const session = choices.of(waiting)
  if (!session) return undefined
  const { holder, account } = session
  return {
    text: `${holder.name} cancels ${account.pendingEmail} for ${account.name}`,
    async run(context) {
      const answer = await context.send('POST', '/auth/profile/email/cancel', { session })
      if (answer.status !== 200) return outcome(answer)
      account.pendingEmail = undefined
      delete account.links.change_email
      return outcome(answer)
    },
  }
}
