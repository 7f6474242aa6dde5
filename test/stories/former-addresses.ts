import type { Account, Company, Departure, FormerAddress, Invitation, Membership } from './state.ts'

// The addresses under which accounts were members, by which a company recognizes them in another account.

interface Remembered {
  formerAddresses: FormerAddress[]
  departures: Departure[]
  membershipOf(company: Company, account: Account): Membership | undefined
}

export function formerAddressesOf({ formerAddresses }: Remembered, company: Company, account: Account): string[] {
  return formerAddresses
    .filter((each) => each.company === company && each.account === account)
    .map(({ email }) => email)
}

export const isFormerAddress = ({ formerAddresses }: Remembered, company: Company, email: string): boolean =>
  formerAddresses.some((each) => each.company === company && each.email === email)

/** The account has left since the invitation was vouched for. Of a link also: another one has, or is inactive, that had the address. */
export function isAway(model: Remembered, { company, email, vouchedAt }: Invitation, account: Account): boolean {
  const hasLeft = (who: Account) =>
    model.departures.some((each) => each.company === company && each.account === who && each.at >= vouchedAt)
  const others = model.formerAddresses.filter((each) => each.company === company && each.email === account.email)
  const isOneAway = others.some((each) => {
    const membership = model.membershipOf(company, each.account)
    return membership ? !membership.isActive : hasLeft(each.account)
  })
  return hasLeft(account) || (email === undefined && isOneAway)
}
