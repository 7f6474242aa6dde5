import { RuleViolation } from '../context.ts'
import { markOpened } from '../effects.ts'
import type { Model } from '../model.ts'
import type { Session } from '../state.ts'
import { type Action, type Choices, outcome, type Step } from '../steps.ts'
import { assertAllowed, canAct, signedInWithRole } from './authority.ts'
import { answerFor, assertProof, bodyFor, learnProof } from './factors.ts'

const AGES = [undefined, 60, 24 * 60]

/** How old the last proof of a session may be that enters the company. */
export const setPolicy: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Admin')
  const maxAgeMinutes = choices.of(AGES)
  if (!pair) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} asks in ${company.name} for proofs of the last ${maxAgeMinutes ?? 'any number of'} minutes`,
    async run(context) {
      const isAllowed = canAct(model, session, company, 'Admin')
      markOpened(model, session, company)
      const body = { sessions: { maxAgeHours: maxAgeMinutes === undefined ? null : maxAgeMinutes / 60 } }
      const answer = await context.send('PATCH', '/companies/policy', { session, company, body })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} changes the policy of ${company.name}`)
      const isKept = maxAgeMinutes === undefined || model.now - model.lastProofOf(session) < maxAgeMinutes
      assertAllowed(isKept, `${session.holder.name} is shut out of ${company.name} by the own policy`)
      company.maxAgeMinutes = maxAgeMinutes
      return outcome(answer)
    },
  }
}

/** Proves who it is once more, mostly where a company asks for it: by a second factor, or without one by the password. */
export const stepUp: Action = (model, choices) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const shut = sessions.filter((each) => model.companies.some((company) => !model.isLetIn(each, company)))
  const session = choices.of(shut.length > 0 && choices.oneIn(2) ? shut : sessions)
  if (!session) return undefined
  return session.account.factors.length > 0 && !choices.oneIn(6)
    ? byFactor(model, choices, session)
    : byPassword(model, choices, session)
}

function byFactor(model: Model, choices: Choices, session: Session): Step {
  const { account, holder } = session
  const { proof, text } = answerFor(model, choices, account, holder)
  return {
    text: `${holder.name} proves a second factor of ${account.name} again by ${text}`,
    async run(context) {
      const { challenge, options } = (await context.send('POST', '/auth/step-up/options', { session })).body.data
      const answered = await bodyFor(context, { account, options }, proof)
      const body = 'credential' in answered ? { challenge, ...answered } : answered
      const answer = await context.send('POST', '/auth/step-up', { session, body })
      assertProof(account, proof, answer)
      if (answer.status === 200 && proof) learnProof(model, session, proof)
      return outcome(answer)
    },
  }
}

function byPassword(model: Model, choices: Choices, session: Session): Step | undefined {
  const { account, holder } = session
  const password = choices.of(model.known.filter((each) => each.person === holder && each.account === account))
  if (!password) return undefined
  return {
    text: `${holder.name} proves the password of ${account.name} again`,
    async run(context) {
      const hasFactor = account.factors.length > 0
      const isRight = account.chosen?.text === password.text && !hasFactor
      const body = { currentPassword: password.text }
      const answer = await context.send('POST', '/auth/step-up', { session, body })
      if (answer.status === 200 && (hasFactor || !model.passwordOf(account, password.text)))
        throw new RuleViolation('only valid passwords work', `one of ${account.name}`)
      if (answer.status !== 200 && answer.status !== 429 && isRight)
        throw new RuleViolation('what is valid works', `the password of ${account.name}`)
      if (answer.status === 200) session.provedAt = model.now
      return outcome(answer)
    },
  }
}
