import { RuleViolation } from '../context.ts'
import type { Model } from '../model.ts'
import { type Company, type Membership, type Role, rankOf, type Session } from '../state.ts'
import type { Choices } from '../steps.ts'
/** A session and a company: mostly one in which the account has at least this role. */
export function signedInWithRole(
  model: Model,
  choices: Choices,
  least: Role,
): { session: Session; company: Company } | undefined {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const pairs = sessions.flatMap((session) => model.companies.map((company) => ({ session, company })))
  const able = pairs.filter(({ session, company }) => canAct(model, session, company, least))
  return choices.of(choices.oneIn(12) ? pairs : able)
}

export function canAct(model: Model, session: Session, company: Company, least: Role): boolean {
  const own = model.membershipOf(company, session.account)
  return own !== undefined && model.canEnter(session, company) && rankOf(own.role) >= rankOf(least)
}

/** Fails when an action succeeded that the model forbids. */
export function assertAllowed(isRight: boolean, what: string): void {
  if (!isRight) throw new RuleViolation('only allowed actions succeed', what)
}

export const roleIn = (model: Model, { account }: Session, company: Company): Role =>
  model.membershipOf(company, account)?.role ?? 'Member'

/** A session, a company and one of its members, mostly another one. */
export function pairWithTarget(model: Model, choices: Choices, least: Role) {
  const pair = signedInWithRole(model, choices, least)
  if (!pair) return undefined
  const members = model.memberships.filter(({ company }) => company === pair.company)
  const others = members.filter(({ account }) => account !== pair.session.account)
  const target = choices.of(choices.oneIn(8) ? members : others)
  return target && { ...pair, target }
}

export const covers = (model: Model, session: Session, { company, role }: Membership) =>
  canAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
