import type { DatabaseState, Membership } from './database-state.ts'
import type { Operation } from './document.ts'

/** The rules of operations without a permission, from their published descriptions. */
const specialRules: Record<string, (membership: Membership, state: DatabaseState) => boolean> = {
  restoreCompany: ({ active, owner, opened }) => active && owner && opened,
  leaveCompany: ({ companyId }, { companies }) => companies.get(companyId) === false,
  offerOwnershipTransfer: ({ open, owner }) => open && owner,
  cancelOwnershipTransfer: ({ open, owner }) => open && owner,
  addDomain: ({ open, owner }) => open && owner,
  verifyDomain: ({ open, owner }) => open && owner,
  updateDomain: ({ open, owner }) => open && owner,
  deleteDomain: ({ open, owner }) => open && owner,
  getOwnershipTransfer: (member, state) => member.open && (member.owner || isReceiver(member, state)),
  acceptOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
  declineOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
}

/** Whether the account may call the operation in this company, according to the database. */
export function isAllowed(
  operation: Operation,
  state: DatabaseState,
  companyId: string | undefined,
  accountId?: string,
): boolean {
  const ownRule = specialRules[operation.id]
  if (!ownRule && !operation.permission && !operation.forMembers) return true
  const membership = state.memberships.get(`${companyId} ${accountId}`)
  if (!membership) return false
  if (ownRule) return ownRule(membership, state)
  return membership.open && (operation.permission === undefined || membership.permissions.has(operation.permission))
}

export const isReceiver = ({ companyId, accountId }: Membership, { offers }: DatabaseState) =>
  offers.get(companyId)?.to === accountId
