import { totpCode, totpStepAt } from '../../../src/lib/totp.ts'
import { Authenticator } from '../../support/authenticator.ts'
import type { Answer } from '../../support/client.ts'
import { RuleViolation, type StoryContext } from '../context.ts'
import { endSessions, removeFactors } from '../effects.ts'
import type { Model } from '../model.ts'
import type { Person } from '../people.ts'
import type { Account, Factor, Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'
import { assertAllowed, covers, pairWithTarget } from './authority.ts'
import { proveMailbox } from './mailbox.ts'
import { canReplacePassword } from './resets.ts'

/** More would only make stories slower. */
const FACTORS_MAX = 2

const isHeldBy = ({ holder }: { holder: Person }, person: Person) => holder.name === person.name

/** Also where the session has not proved its mailbox, or nothing recently. */
export const addFactor: Action = (model, choices) => {
  const able = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const recent = able.filter((each) => model.hasRecentProof(each) && each.account.factors.length < FACTORS_MAX)
  const session = choices.of(recent.length > 0 && !choices.oneIn(5) ? recent : able)
  const kind = choices.oneIn(2) ? 'totp' : 'passkey'
  if (!session || !canEmailAboutFactors(model, session.account)) return undefined
  const { account, holder } = session
  return {
    text: `${holder.name} adds a second factor (${kind}) to ${account.name}`,
    async run(context) {
      const isFirst = account.factors.length === 0
      const isFresh = model.hasRecentProof(session)
      const { answer, factor } = await (kind === 'totp' ? addTotp : addPasskey)(context, session)
      if (!factor) return outcome(answer)
      const isProved = !isFirst || session.provedEmails.factor === account.email
      assertAllowed(isFresh && isProved, `${holder.name} adds a second factor to ${account.name}`)
      learnFactor(model, session, factor, answer.body.data.recoveryCodes)
      await context.secretsFor(account)
      return outcome(answer)
    },
  }
}

interface Addition {
  answer: Answer
  /** Undefined: it was refused. */
  factor?: Factor
}

async function addTotp(context: StoryContext, session: Session): Promise<Addition> {
  const path = '/auth/factors/totp'
  const started = await proveMailbox(context, session, 'factor', (emailCode) =>
    context.send('POST', path, { session, body: { ...(emailCode && { emailCode }) } }),
  )
  if (started.status !== 201) return { answer: started }
  const { id, secret } = started.body.data
  const answer = await context.send('POST', `${path}/${id}/confirm`, { session, body: { code: codeOf(secret) } })
  if (answer.status !== 200) return { answer }
  return { answer, factor: { id, kind: 'totp', secret, ...(await origin(context, session)) } }
}

async function addPasskey(context: StoryContext, session: Session): Promise<Addition> {
  const path = '/auth/factors/passkeys'
  const started = await proveMailbox(context, session, 'factor', (emailCode) =>
    context.send('POST', `${path}/options`, { session, body: { ...(emailCode && { emailCode }) } }),
  )
  if (started.status !== 200) return { answer: started }
  const { challenge, options } = started.body.data
  const authenticator = new Authenticator()
  const body = { challenge, credential: authenticator.create(options) }
  const answer = await context.send('POST', path, { session, body })
  if (answer.status !== 201) return { answer }
  const { id } = answer.body.data.factor
  return { answer, factor: { id, kind: 'passkey', authenticator, ...(await origin(context, session)) } }
}

const origin = async ({ model }: StoryContext, { account, holder }: Session) => ({
  account,
  holder,
  addedAt: model.countFactorChange(),
})

/** A change of address that waits lapses with the first factor: nothing had to be proved for it. */
function learnFactor(model: Model, session: Session, factor: Factor, recoveryCodes?: string[]): void {
  const { account, holder } = session
  if (account.factors.length === 0) {
    account.pendingEmail = undefined
    delete account.links.change_email
  }
  if (recoveryCodes) account.recoveryCodes = { holder, unused: recoveryCodes, createdAt: factor.addedAt }
  model.factors.push(factor)
  account.factors.push(factor)
  account.version++
  learnProof(model, session, factor)
}

export const removeFactor: Action = (model, choices) => {
  const able = model.sessions.filter(
    (each) => model.isSignedIn(each) && !each.mustChange && each.account.factors.length > 0,
  )
  const recent = able.filter((each) => model.hasRecentProof(each))
  const session = choices.of(recent.length > 0 && !choices.oneIn(3) ? recent : able)
  const factor = session && choices.of(session.account.factors)
  if (!factor || !canEmailAboutFactors(model, session.account)) return undefined
  const { account, holder } = session
  return {
    text: `${holder.name} removes a second factor (${factor.kind} of ${factor.holder.name}) from ${account.name}`,
    async run(context) {
      const isFresh = model.hasRecentProof(session)
      const answer = await context.send('DELETE', `/auth/factors/${factor.id}`, { session })
      if (answer.status !== 200 && isFresh)
        throw new RuleViolation('what is valid works', `${holder.name} removes a second factor of ${account.name}`)
      if (answer.status !== 200) return outcome(answer)
      model.countFactorChange()
      removeFactors(account, (each) => each === factor)
      for (const each of model.sessions) if (each !== session && isProvedBy(each, factor)) each.hasEnded = true
      forgetProofs(session)
      await context.secretsFor(account)
      return outcome(answer)
    },
  }
}

/** The session has proved nothing by factors that are there no more. */
function forgetProofs(session: Session): void {
  const { factors } = session.account
  const left = session.provedFactors.filter((each) =>
    each === 'recovery code' ? factors.length > 0 : factors.includes(each),
  )
  session.provedFactors = left
  if (left.length === 0) session.factorProvedAt = undefined
}

/** The codes go with the last factor. */
const isProvedBy = ({ account, provedFactors }: Session, removed: Factor): boolean =>
  provedFactors.some((each) => each === removed || (each === 'recovery code' && account.factors.length === 0))

/** What its holder enters after the password, or in a session: also of a factor that is gone, or a guess. */
export function answerFor(
  model: Model,
  choices: Choices,
  account: Account,
  person: Person,
): { proof: Factor | 'recovery code' | undefined; text: string } {
  const held = account.factors.filter((each) => isHeldBy(each, person))
  const gone = model.factors.filter(
    (each) => each.account === account && isHeldBy(each, person) && !account.factors.includes(each),
  )
  const { recoveryCodes: codes } = account
  const hasCode = codes && isHeldBy(codes, person) && codes.unused.length > 0
  if (hasCode && (held.length === 0 || choices.oneIn(4))) return { proof: 'recovery code', text: 'a recovery code' }
  const factor = choices.of(held.length > 0 && !(gone.length > 0 && choices.oneIn(3)) ? held : gone)
  return factor ? { proof: factor, text: `a ${factor.kind}` } : { proof: undefined, text: 'a guess' }
}

interface Question {
  account: Account
  /** Of a passkey. */
  options?: Parameters<Authenticator['get']>[0] | undefined
}

/** The body by which the service is to believe it. */
export async function bodyFor(
  { real }: StoryContext,
  { account, options }: Question,
  proof: Factor | 'recovery code' | undefined,
): Promise<object> {
  if (proof === 'recovery code') return { recoveryCode: account.recoveryCodes?.unused[0] }
  if (proof?.kind === 'passkey' && options) return { credential: proof.authenticator.get(options) }
  if (proof?.kind !== 'totp') return { code: '000000' }
  // As if no code had been used for some minutes.
  await real.service.db.query('update second_factors set last_step = last_step - 10 where id = $1', [proof.id])
  return { code: codeOf(proof.secret) }
}

const codeOf = (secret: string) => totpCode(secret, totpStepAt(Date.now()))

/** Checks what an attempt has come to. 429: too many were wrong before. */
export function assertProof(account: Account, proof: Factor | 'recovery code' | undefined, { status }: Answer): void {
  const isValid = proof === 'recovery code' || (proof !== undefined && account.factors.includes(proof))
  if (status === 200 && !isValid) throw new RuleViolation('only valid factors work', `one of ${account.name}`)
  if (status !== 200 && status !== 429 && isValid)
    throw new RuleViolation('what is valid works', `a second factor of ${account.name}: ${status}`)
  if (status === 200 && proof === 'recovery code') account.recoveryCodes?.unused.shift()
}

/** Of a session that goes on. A passkey is both factors. */
export function learnProof(model: Model, session: Session, proof: Factor | 'recovery code'): void {
  session.factorProvedAt = model.now
  session.provedFactors.push(proof)
  if (proof !== 'recovery code' && proof.kind === 'passkey') session.provedAt = model.now
}

/** Members with a second factor, whose company manages their account, with the sessions that may remove it. */
const resettable = (model: Model) =>
  model.memberships
    .filter(({ company, account }) => account.managedBy === company && account.factors.length > 0)
    .flatMap((target) =>
      model.sessions
        .filter((session) => session.account !== target.account && covers(model, session, target))
        .map((session) => ({ session, target })),
    )

/** A company removes the factors of an account that it manages. */
export const resetFactors: Action = (model, choices) => {
  const found = choices.oneIn(4) ? pairWithTarget(model, choices, 'Manager') : choices.of(resettable(model))
  if (!found) return undefined
  const { session, target } = found
  const { company } = target
  const { account } = target
  return {
    text: `${session.holder.name} removes the second factors of ${account.name} in ${company.name}`,
    async run(context) {
      const isAllowed =
        covers(model, session, target) &&
        canReplacePassword(model, session, target) !== false &&
        model.hasRecentProof(session) &&
        account.factors.length > 0
      const path = `/companies/users/${account.id}/reset-second-factor`
      const answer = await context.send('POST', path, { session, company })
      await context.real.newEmails()
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} removes the second factors of ${account.name}`)
      model.countFactorChange()
      removeFactors(account, () => true)
      endSessions(model, account)
      return outcome(answer)
    },
  }
}

/** Keeps stories below the limit of five notices an hour. */
function canEmailAboutFactors(model: Model, { email }: Account): boolean {
  return ['mailbox_code', 'second_factor_added', 'second_factor_removed'].every((kind) => model.canEmail(kind, email))
}
