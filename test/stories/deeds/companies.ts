import { enter } from '../effects.ts'
import { RESTORABLE_MINUTES } from '../facts.ts'
import { type Deed, outcome } from '../steps.ts'
import { insider, judgeRight, mayAct } from './insiders.ts'
import { learnCompany } from './signing-in.ts'

const COMPANIES_MAX = 5
const OFFER_MINUTES = 7 * 24 * 60

export const founds: Deed = (model, picks) => {
  const session = picks.of(model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange))
  if (!session || model.companies.length >= COMPANIES_MAX) return undefined
  return {
    text: `${session.holder.name} founds a company by the account ${session.account.name}`,
    async run(stage) {
      const body = { name: `${session.holder.name} ${model.next()}`, taxId: '1' }
      const answer = await stage.send('POST', '/companies', { session, body })
      if (answer.status !== 201) return outcome(answer)
      judgeRight(!session.account.wasShown, `${session.account.name}, whose password was shown, founds a company`)
      await learnCompany(stage, session, answer.body.data)
      return outcome(answer)
    },
  }
}

export const offers: Deed = (model, picks) => {
  const pair = insider(model, picks, 'Owner')
  const target =
    pair && picks.of(model.memberships.filter((each) => each.company === pair.company && each.role !== 'Owner'))
  if (!pair || !target) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} offers ${company.name} to ${target.account.name}`,
    async run(stage) {
      const may = mayAct(model, session, company, 'Owner') && model.isOpen(target)
      const body = { userId: target.account.id }
      enter(model, session, company)
      const answer = await stage.send('POST', `/companies/${company.id}/ownership-transfer`, { session, body })
      if (answer.status !== 201) return outcome(answer)
      judgeRight(may, `${session.holder.name} offers ${company.name} to ${target.account.name}`)
      company.offer = { from: session.account, to: target.account, since: model.now }
      return outcome(answer)
    },
  }
}

export const accepts: Deed = (model, picks) => {
  const offered = model.companies.flatMap((company) => (company.offer ? [{ company, offer: company.offer }] : []))
  const found = picks.of(offered)
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && each.account === found?.offer.to)
  const session = picks.of(sessions)
  const known = model.known.find(
    ({ account, person, text }) =>
      account === session?.account && person === session.holder && model.passwordOf(account, text),
  )
  if (!found || !session || !known) return undefined
  const { company, offer } = found
  return {
    text: `${session.holder.name} accepts ${company.name} for ${session.account.name}`,
    async run(stage) {
      const may =
        model.mayEnter(session, company) && model.now - offer.since < OFFER_MINUTES && !session.account.wasShown
      enter(model, session, company)
      const body = { currentPassword: known.text }
      const answer = await stage.send('POST', `/companies/${company.id}/ownership-transfer/accept`, { session, body })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may, `${session.holder.name} accepts ${company.name}`)
      const [from, to] = [offer.from, offer.to].map((party) => model.membershipOf(company, party))
      if (from) from.role = 'Admin'
      if (to) Object.assign(to, { role: 'Owner', isOpened: true })
      company.offer = undefined
      return outcome(answer)
    },
  }
}

export const closes: Deed = (model, picks) => {
  const pair = insider(model, picks, 'Owner')
  if (!pair || !picks.oneIn(2)) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} closes ${company.name}`,
    async run(stage) {
      const may = mayAct(model, session, company, 'Owner')
      enter(model, session, company)
      const answer = await stage.send('DELETE', `/companies/${company.id}`, { session })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may, `${session.holder.name} closes ${company.name}`)
      Object.assign(company, { closedAt: model.now, offer: undefined })
      return outcome(answer)
    },
  }
}

export const restores: Deed = (model, picks) => {
  const company = picks.of(model.companies.filter(({ closedAt }) => closedAt !== undefined))
  const members = model.memberships.filter((each) => each.company === company)
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const session = picks.of(sessions.filter(({ account }) => members.some((each) => each.account === account)))
  if (!company || !session) return undefined
  return {
    text: `${session.holder.name} takes ${company.name} back by the account ${session.account.name}`,
    async run(stage) {
      const own = model.membershipOf(company, session.account)
      const isInTime = model.now - (company.closedAt ?? 0) < RESTORABLE_MINUTES
      const answer = await stage.send('POST', `/companies/${company.id}/restore`, { session })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(
        own?.role === 'Owner' && model.counts(own) && isInTime,
        `${session.holder.name} restores ${company.name}`,
      )
      company.closedAt = undefined
      return outcome(answer)
    },
  }
}
