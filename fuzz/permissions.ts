import type { DatabaseState, Membership } from './database-state.ts'
import type { Operation } from './document.ts'

/** Who may do what no permission stands for, by operation: what the published descriptions say. */
const specialRules: Record<string, (membership: Membership, state: DatabaseState) => boolean> = {
  restoreCompany: ({ active, owner, opened }) => active && owner && opened,
  leaveCompany: ({ companyId }, { companies }) => companies.get(companyId) === false,
  offerOwnershipTransfer: ({ open, owner }) => open && owner,
  cancelOwnershipTransfer: ({ open, owner }) => open && owner,
  getOwnershipTransfer: (member, state) => member.open && (member.owner || isReceiver(member, state)),
  acceptOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
  declineOwnershipTransfer: (member, state) => member.open && isReceiver(member, state),
}

/** Whether somebody may do this in a company, by what the database says. */
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
