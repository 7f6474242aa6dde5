import type { Operation } from './document.ts'
import type { Membership, Truth } from './truth.ts'

/** Who may do what no permission stands for, by operation: what the published descriptions say. */
const rulesOfTheirOwn: Record<string, (membership: Membership, truth: Truth) => boolean> = {
  restoreCompany: ({ active, owner, opened }) => active && owner && opened,
  leaveCompany: ({ companyId }, { companies }) => companies.get(companyId) === false,
  offerOwnershipTransfer: ({ open, owner }) => open && owner,
  cancelOwnershipTransfer: ({ open, owner }) => open && owner,
  getOwnershipTransfer: (member, truth) => member.open && (member.owner || isReceiver(member, truth)),
  acceptOwnershipTransfer: (member, truth) => member.open && isReceiver(member, truth),
  declineOwnershipTransfer: (member, truth) => member.open && isReceiver(member, truth),
}

/** Whether somebody may do this in a company, by what the database says. */
export function mayDo(operation: Operation, truth: Truth, companyId: string | undefined, accountId?: string): boolean {
  const ownRule = rulesOfTheirOwn[operation.id]
  if (!ownRule && !operation.permission && !operation.forMembers) return true
  const membership = truth.memberships.get(`${companyId} ${accountId}`)
  if (!membership) return false
  if (ownRule) return ownRule(membership, truth)
  return membership.open && (operation.permission === undefined || membership.permissions.has(operation.permission))
}

export const isReceiver = ({ companyId, accountId }: Membership, { offers }: Truth) =>
  offers.get(companyId)?.to === accountId
