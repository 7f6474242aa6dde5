import type { Model } from './model.ts'
import type { Account, Company, Membership, Session } from './state.ts'

// What follows in the model from what was done: by docs/decisions, whatever the service did.

/** Somebody used a secret that was mailed to the address that the account has. */
export function verifyAddress(model: Model, account: Account): void {
  account.isVerified = true
  account.isPasswordShown = false
  for (const membership of model.memberships)
    if (membership.account === account && membership.address === account.email) membership.awaitsVerification = false
}

/** Links and temporary passwords die, and so do kept answers with tokens. */
export function invalidateSecrets(account: Account): void {
  account.links = {}
  account.temporary = undefined
  account.second = undefined
  account.version++
}

export function endSessions(model: Model, account: Account, except?: Session): void {
  for (const session of model.sessions) if (session.account === account && session !== except) session.hasEnded = true
}

/** What awaits proof of the old address ends; what is open stays. */
export function changeAddress(model: Model, account: Account, email: string): void {
  invalidateSecrets(account)
  model.memberships = model.memberships.filter((each) => each.account !== account || !each.awaitsVerification)
  Object.assign(account, { email, pendingEmail: undefined, isVerified: true, isPasswordShown: false })
}

/** Everything that opened the account is replaced by a temporary password. */
export function replacePassword(model: Model, account: Account, text: string, how: { mailedTo?: string; why: string }) {
  invalidateSecrets(account)
  endSessions(model, account)
  Object.assign(account, { chosen: undefined, pendingEmail: undefined })
  account.temporary = { text, since: model.now, ...how }
}

/** An administrator has seen the password: what the account has not opened waits for the owner of the address. */
export function markPasswordShown(model: Model, account: Account, by: Company): void {
  account.isPasswordShown = true
  for (const membership of model.memberships)
    if (membership.account === account && membership.company !== by && !membership.isOpened)
      membership.awaitsVerification = true
}

export function link(model: Model, company: Company, account: Account, role: Membership['role'], isNew: boolean): void {
  const awaitsVerification = !isNew && (account.isPasswordShown || (model.requiresVerification && !account.isVerified))
  model.memberships.push({
    company,
    account,
    role,
    isActive: true,
    address: account.email,
    awaitsVerification,
    isOpened: false,
  })
}

export function endMembership(model: Model, { company, account }: Membership): void {
  model.memberships = model.memberships.filter((each) => each.company !== company || each.account !== account)
  if (account.managedBy === company) account.managedBy = undefined
  if (company.offer && [company.offer.from, company.offer.to].includes(account)) company.offer = undefined
}

/** The account's first request that passes the membership check opens the company for it, whatever the answer is. */
export function markOpened(model: Model, session: Session, company: Company): void {
  const membership = model.membershipOf(company, session.account)
  if (membership && model.canEnter(session, company)) membership.isOpened = true
}

/** An offer that can't be accepted any more is gone. */
export function dropInvalidOffer(model: Model, company: Company): void {
  const { offer } = company
  if (!offer) return
  const [from, to] = [offer.from, offer.to].map((party) => model.membershipOf(company, party))
  const isAlive = from && to && model.isOpen(from) && from.role === 'Owner' && model.isOpen(to) && to.role !== 'Owner'
  if (!isAlive) company.offer = undefined
}
