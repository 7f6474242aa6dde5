import { formerAddressesOf } from './former-addresses.ts'
import type { Model } from './model.ts'
import type { Account, Company, Factor, Membership, Password, Session } from './state.ts'

// The effects of successful actions on the model, by docs/decisions.

/** A secret that was emailed to the present address was used. What the account vouched for while a password was shown is worth nothing. */
export function verifyAddress(model: Model, account: Account): void {
  if (account.isPasswordShown) account.recoveredAt = model.next()
  account.isVerified = true
  account.isPasswordShown = false
  for (const membership of model.memberships)
    if (membership.account === account && membership.address === account.email) membership.awaitsVerification = false
}

/** The secret has replaced the password as well: a stranger may have had the account, whom those let in who added it. */
export function regainAccount(model: Model, account: Account): void {
  if (!account.isVerified) account.regainedAt = model.next()
  verifyAddress(model, account)
}

/** Invalidates links, temporary passwords and stored responses with tokens. */
export function invalidateSecrets(account: Account): void {
  account.links = {}
  account.temporary = undefined
  account.second = undefined
  account.version++
}

/** Without a factor the account has no use for recovery codes. */
export function removeFactors(account: Account, isRemoved: (factor: Factor) => boolean): void {
  const left = account.factors.filter((each) => !isRemoved(each))
  account.version += account.factors.length - left.length
  account.factors = left
  if (left.length === 0) account.recoveryCodes = undefined
}

export function endSessions(model: Model, account: Account, except?: Session): void {
  for (const session of model.sessions) if (session.account === account && session !== except) session.hasEnded = true
}

/** Memberships that await verification of the old address end; all others stay. */
export function changeAddress(model: Model, account: Account, email: string): void {
  account.reservesFormerAddress = !model.requiresVerification || account.isVerified || account.isPasswordShown
  invalidateSecrets(account)
  model.memberships = model.memberships.filter((each) => each.account !== account || !each.awaitsVerification)
  for (const { company } of model.memberships.filter((each) => each.account === account)) {
    model.formerAddresses.push({ company, account, email: account.email })
    endInvitations(model, company, email)
  }
  Object.assign(account, { email, pendingEmail: undefined, isVerified: true, isPasswordShown: false })
}

/** Who restores an address by a change, while a link can do so, leaves no link to the addresses in between. */
export function endUndosAfter(model: Model, account: Account, restored: string): void {
  const first = model.validUndos(account).find(({ email }) => email === restored)
  if (first)
    account.undos = account.undos.filter((each) => each.changedAt <= first.changedAt || each.email === restored)
}

/**
 * The account goes back to the address of the link: no password, session or other link works, and the links of later changes
 * are gone. Factors from since the change go, and those that links in the same mailbox could undo. Memberships that await
 * verification of the undone address end.
 */
export function undoAddressChange(model: Model, account: Account, token: string): void {
  const index = account.undos.findIndex((each) => each.token === token)
  const { email, changedAt, since: at } = account.undos[index] as Account['undos'][number]
  account.undos = account.undos.slice(0, index)
  if (account.email === email) {
    invalidateSecrets(account)
    verifyAddress(model, account)
  } else changeAddress(model, account, email)
  const since = Math.min(
    changedAt,
    ...model.validFactorUndos(account, { address: email, at }).map((each) => each.changedAt),
  )
  removeFactors(account, (each) => each.addedAt >= since)
  if (account.recoveryCodes && account.recoveryCodes.createdAt >= since) account.recoveryCodes = undefined
  Object.assign(account, { chosen: undefined, pendingEmail: undefined, recoveredAt: model.next() })
  endSessions(model, account)
}

/** A temporary password replaces every other credential of the account. */
export function replacePassword(
  model: Model,
  account: Account,
  text: string,
  how: Pick<Password, 'emailedTo' | 'shownTo' | 'why'>,
) {
  invalidateSecrets(account)
  endSessions(model, account)
  Object.assign(account, { chosen: undefined, pendingEmail: undefined })
  account.temporary = { text, since: model.now, ...how }
}

/** An administrator has seen the password: unopened memberships in other companies await verification. */
export function markPasswordShown(model: Model, account: Account, by: Company): void {
  account.isPasswordShown = true
  for (const membership of model.memberships)
    if (membership.account === account && membership.company !== by && !membership.isOpened)
      membership.awaitsVerification = true
}

/** What is sent to the address of a member is over. */
export function endInvitations(model: Model, company: Company, email: string): void {
  for (const invitation of model.invitations)
    if (invitation.company === company && invitation.email === email) invitation.isOver = true
}

export function link(model: Model, company: Company, account: Account, role: Membership['role'], isNew: boolean): void {
  endInvitations(model, company, account.email)
  const awaitsVerification = !isNew && (account.isPasswordShown || (model.requiresVerification && !account.isVerified))
  model.memberships.push({
    company,
    account,
    role,
    isActive: true,
    address: account.email,
    awaitsVerification,
    isOpened: false,
    isAdded: true,
    since: model.next(),
  })
}

/** Its owner has agreed, so the membership is opened at once and awaits nothing. */
export function join(model: Model, company: Company, account: Account, role: Membership['role']): void {
  const address = account.email
  endInvitations(model, company, address)
  const [awaitsVerification, isOpened] = [false, true]
  const since = model.next()
  model.memberships.push({ company, account, role, isActive: true, address, awaitsVerification, isOpened, since })
}

export function endMembership(model: Model, { company, account, isActive, awaitsVerification }: Membership): void {
  model.memberships = model.memberships.filter((each) => each.company !== company || each.account !== account)
  // Who leaves before the address was verified was never let in.
  if (!awaitsVerification || !isActive) {
    model.departures.push({ company, account, at: model.next() })
    model.formerAddresses.push({ company, account, email: account.email })
  }
  for (const email of [account.email, ...formerAddressesOf(model, company, account)])
    endInvitations(model, company, email)
  if (account.managedBy === company) account.managedBy = undefined
  if (company.offer && [company.offer.from, company.offer.to].includes(account)) company.offer = undefined
}

/** The first request that passes the membership check opens the membership, even if it is refused afterwards. */
export function markOpened(model: Model, session: Session, company: Company): void {
  const membership = model.membershipOf(company, session.account)
  if (membership && model.canEnter(session, company)) membership.isOpened = true
}

/** Drops an offer that can no longer be accepted. */
export function dropInvalidOffer(model: Model, company: Company): void {
  const { offer } = company
  if (!offer) return
  const [from, to] = [offer.from, offer.to].map((party) => model.membershipOf(company, party))
  const isValid = from && to && model.isOpen(from) && from.role === 'Owner' && model.isOpen(to) && to.role !== 'Owner'
  if (!isValid) company.offer = undefined
}
