import { RuleViolation } from '../context.ts'
import { markOpened } from '../effects.ts'
import { type Action, outcome } from '../steps.ts'
import { assertAllowed, canAct, signedInWithRole } from './authority.ts'

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
      const isKept = maxAgeMinutes === undefined || model.now - session.provedAt < maxAgeMinutes
      assertAllowed(isKept, `${session.holder.name} is shut out of ${company.name} by the own policy`)
      company.maxAgeMinutes = maxAgeMinutes
      return outcome(answer)
    },
  }
}

/** Proves the password once more, mostly where a company asks for it. */
export const stepUp: Action = (model, choices) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const shut = sessions.filter((each) => model.companies.some((company) => !model.isLetIn(each, company)))
  const session = choices.of(shut.length > 0 ? shut : sessions)
  const known =
    session && model.known.filter(({ person, account }) => person === session.holder && account === session.account)
  const password = known && choices.of(known)
  if (!session || !password) return undefined
  return {
    text: `${session.holder.name} proves the password of ${session.account.name} again`,
    async run(context) {
      const isRight = session.account.chosen?.text === password.text
      const body = { currentPassword: password.text }
      const answer = await context.send('POST', '/auth/step-up', { session, body })
      if (answer.status === 200 && !model.passwordOf(session.account, password.text))
        throw new RuleViolation('only valid passwords work', `an old password of ${session.account.name}`)
      if (answer.status !== 200 && answer.status !== 429 && isRight)
        throw new RuleViolation('what is valid works', `the password of ${session.account.name}`)
      if (answer.status === 200) session.provedAt = model.now
      return outcome(answer)
    },
  }
}
