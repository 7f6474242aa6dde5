import { problem } from '../problems.ts'
import type { Permission } from './permissions.ts'

/** What somebody holds in a company: the permissions of their roles, and whether one of them is Owner. */
export interface Authority {
  permissions: ReadonlySet<Permission>
  isOwner: boolean
}

export interface RoleGrant {
  permissions: readonly Permission[]
  system_key: string | null
}

export function authorityOf(roles: readonly RoleGrant[]): Authority {
  return {
    permissions: new Set(roles.flatMap(({ permissions }) => permissions)),
    isOwner: roles.some(({ system_key }) => system_key === 'owner'),
  }
}

/**
 * The one comparison behind both rules. Being Owner counts as something to hold: it can't be had by gathering all
 * permissions in other roles.
 */
export function covers(holder: Authority, other: Authority): boolean {
  return (holder.isOwner || !other.isOwner) && other.permissions.isSubsetOf(holder.permissions)
}

/** Nobody gives what they do not hold. */
export function assertCanGrant(giver: Authority, roles: readonly RoleGrant[]): void {
  if (!covers(giver, authorityOf(roles))) throw problem('grant_exceeds_permissions')
}

/** Nobody acts upward: whoever is changed, detached or reset holds nothing that the actor lacks. */
export function assertCanActOn(actor: Authority, target: Authority): void {
  if (!covers(actor, target)) throw problem('target_exceeds_permissions')
}
