import { authorityOf, covers } from '../../access/authority.ts'
import type { Membership } from '../../access/memberships.ts'
import { standsBy } from '../../access/owners.ts'
import type { Role } from '../../access/roles.ts'

/**
 * Whether a member, read under the company’s lock, could give these roles now: active, allowed to add members, and lacking
 * nothing of them; and whether it was this member who vouched, at that time, and not an intruder. Undefined: has left.
 */
export function canVouchFor(
  member: Membership | undefined,
  roles: readonly Role[],
  since: string,
): member is Membership {
  if (!member || roles.length === 0) return false
  const isActive = member.status === 'active' && member.is_opened && !member.is_disabled
  return (
    isActive && standsBy(member, since) && member.permissions.has('users:create') && covers(member, authorityOf(roles))
  )
}
