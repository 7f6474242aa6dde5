import { type Company, type Membership, type Role, rankOf, type Session } from '../facts.ts'
import type { Model } from '../model.ts'
import { Broken } from '../stage.ts'
import type { Picks } from '../steps.ts'
/** Somebody signed in, in a company: mostly one who may enter it with at least this role. */
export function insider(model: Model, picks: Picks, least: Role): { session: Session; company: Company } | undefined {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const pairs = sessions.flatMap((session) => model.companies.map((company) => ({ session, company })))
  const able = pairs.filter(({ session, company }) => mayAct(model, session, company, least))
  return picks.of(picks.oneIn(12) ? pairs : able)
}

export function mayAct(model: Model, session: Session, company: Company, least: Role): boolean {
  const own = model.membershipOf(company, session.account)
  return own !== undefined && model.mayEnter(session, company) && rankOf(own.role) >= rankOf(least)
}

/** Done without the right to it. */
export function judgeRight(isRight: boolean, what: string): void {
  if (!isRight) throw new Broken('nobody changes what the model does not allow', what)
}

export const roleIn = (model: Model, { account }: Session, company: Company): Role =>
  model.membershipOf(company, account)?.role ?? 'Member'

/** Somebody in a company and a member of it, mostly one below them. */
export function pairWithTarget(model: Model, picks: Picks, least: Role) {
  const pair = insider(model, picks, least)
  if (!pair) return undefined
  const members = model.memberships.filter(({ company }) => company === pair.company)
  const others = members.filter(({ account }) => account !== pair.session.account)
  const target = picks.of(picks.oneIn(8) ? members : others)
  return target && { ...pair, target }
}

export const covers = (model: Model, session: Session, { company, role }: Membership) =>
  mayAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
