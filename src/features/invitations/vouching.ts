import { authorityOf, covers } from '../../access/authority.ts'
import { findMembership, type Membership } from '../../access/memberships.ts'
import { awaitsSecondFactor, standsBy } from '../../access/owners.ts'
import type { Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'

/**
 * The member who vouches for these roles, read under the company’s lock. Undefined: could not give them now, because of having left,
 * not being active or allowed to add members, lacking something of them or the second factor that the policy asks for; or it was not
 * this member who vouched at that time, but an intruder. What else the policy asks is a matter of sessions, and a member who is absent has none.
 */
export async function findVoucher(
  tx: Tx,
  accountId: string | null,
  roles: readonly Role[],
  since: string,
): Promise<Membership | undefined> {
  const member = accountId === null ? undefined : await findMembership(tx, accountId)
  return member && canGive(member, roles) && standsBy(member, since) && !(await awaitsSecondFactor(tx, member))
    ? member
    : undefined
}

function canGive(member: Membership, roles: readonly Role[]): boolean {
  const isActive = member.status === 'active' && member.is_opened && !member.is_disabled
  return isActive && roles.length > 0 && member.permissions.has('users:create') && covers(member, authorityOf(roles))
}
