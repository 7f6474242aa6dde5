import { resumeCompany, suspendCompany } from '../../../src/features/companies/suspend-company.ts'
import { markOpened } from '../effects.ts'
import { RESTORABLE_MINUTES } from '../state.ts'
import { type Action, outcome } from '../steps.ts'
import { assertAllowed, canAct, signedInWithRole } from './authority.ts'
import { learnCompany } from './signing-in.ts'

const COMPANIES_MAX = 5
const OFFER_MINUTES = 7 * 24 * 60

export const createCompany: Action = (model, choices) => {
  const session = choices.of(model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange))
  if (!session || model.companies.length >= COMPANIES_MAX) return undefined
  return {
    text: `${session.holder.name} creates a company with the account ${session.account.name}`,
    async run(context) {
      const body = { name: `${session.holder.name} ${model.next()}`, taxId: '1' }
      const answer = await context.send('POST', '/companies', { session, body })
      if (answer.status !== 201) return outcome(answer)
      assertAllowed(
        !session.account.isPasswordShown,
        `${session.account.name}, whose password was shown, creates a company`,
      )
      await learnCompany(context, session, answer.body.data)
      return outcome(answer)
    },
  }
}

export const offerOwnership: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Owner')
  const target =
    pair && choices.of(model.memberships.filter((each) => each.company === pair.company && each.role !== 'Owner'))
  if (!pair || !target) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} offers ${company.name} to ${target.account.name}`,
    async run(context) {
      const isAllowed = canAct(model, session, company, 'Owner') && model.isOpen(target)
      const body = { userId: target.account.id }
      markOpened(model, session, company)
      const answer = await context.send('POST', `/companies/${company.id}/ownership-transfer`, { session, body })
      if (answer.status !== 201) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} offers ${company.name} to ${target.account.name}`)
      company.offer = { from: session.account, to: target.account, since: model.now, madeAt: model.next() }
      return outcome(answer)
    },
  }
}

export const acceptOwnership: Action = (model, choices) => {
  const offered = model.companies.flatMap((company) => (company.offer ? [{ company, offer: company.offer }] : []))
  const found = choices.of(offered)
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && each.account === found?.offer.to)
  const session = choices.of(sessions)
  const known = model.known.find(
    ({ account, person, text }) =>
      account === session?.account && person === session.holder && model.passwordOf(account, text),
  )
  if (!found || !session || !known) return undefined
  const { company, offer } = found
  return {
    text: `${session.holder.name} accepts ${company.name} for ${session.account.name}`,
    async run(context) {
      const isValid = model.now - offer.since < OFFER_MINUTES && offer.madeAt > model.vouchesFrom(company, offer.from)
      const isAllowed = model.canEnter(session, company) && isValid && !session.account.isPasswordShown
      markOpened(model, session, company)
      const body = { currentPassword: known.text }
      const answer = await context.send('POST', `/companies/${company.id}/ownership-transfer/accept`, { session, body })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} accepts ${company.name}`)
      const [from, to] = [offer.from, offer.to].map((party) => model.membershipOf(company, party))
      if (from) from.role = 'Admin'
      if (to) Object.assign(to, { role: 'Owner', isOpened: true })
      company.offer = undefined
      return outcome(answer)
    },
  }
}

export const deleteCompany: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Owner')
  if (!pair || !choices.oneIn(2)) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} deletes ${company.name}`,
    async run(context) {
      const isAllowed = canAct(model, session, company, 'Owner')
      markOpened(model, session, company)
      const answer = await context.send('DELETE', `/companies/${company.id}`, { session })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} deletes ${company.name}`)
      Object.assign(company, { deletedAt: model.now, offer: undefined })
      return outcome(answer)
    },
  }
}

export const restoreCompany: Action = (model, choices) => {
  const company = choices.of(model.companies.filter(({ deletedAt }) => deletedAt !== undefined))
  const members = model.memberships.filter((each) => each.company === company)
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const session = choices.of(sessions.filter(({ account }) => members.some((each) => each.account === account)))
  if (!company || !session) return undefined
  return {
    text: `${session.holder.name} restores ${company.name} with the account ${session.account.name}`,
    async run(context) {
      const own = model.membershipOf(company, session.account)
      const isInTime = model.now - (company.deletedAt ?? 0) < RESTORABLE_MINUTES
      const answer = await context.send('POST', `/companies/${company.id}/restore`, { session })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(
        own?.role === 'Owner' && model.isOpenedMembership(own) && isInTime && !company.isSuspended,
        `${session.holder.name} restores ${company.name}`,
      )
      company.deletedAt = undefined
      return outcome(answer)
    },
  }
}

const OPERATOR = { ip: null, name: 'Operator', userAgent: 'story', requestId: 'story' }

/** An operator suspends a company, mostly for a short time. */
export const suspendOrResume: Action = (model, choices) => {
  const suspended = model.companies.filter(({ isSuspended }) => isSuspended)
  const company = choices.of(suspended.length > 0 && !choices.oneIn(4) ? suspended : model.companies)
  if (!company) return undefined
  const [change, verb] = company.isSuspended
    ? ([resumeCompany, 'resumes'] as const)
    : ([suspendCompany, 'suspends'] as const)
  return {
    text: `an operator ${verb} ${company.name}`,
    async run({ real }) {
      await change(real.service.parts, OPERATOR, company.id, { notifies: false })
      company.isSuspended = !company.isSuspended
      return 'done'
    },
  }
}
