import { problem } from '../problems.ts'
import type { Permission } from './permissions.ts'

/** What an account holds in a company: the permissions of its roles, and whether one of them is the owner role. */
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
 * The one comparison behind both rules. An owner covers everything, also a permission that only a newer version knows. Being
 * an owner counts as something to hold: all permissions gathered from other roles do not make one.
 */
export function covers(holder: Authority, other: Authority): boolean {
  return holder.isOwner || (!other.isOwner && other.permissions.isSubsetOf(holder.permissions))
}

/** An actor grants only what the actor holds. */
export function assertCanGrant(actor: Authority, roles: readonly RoleGrant[]): void {
  if (!covers(actor, authorityOf(roles))) throw problem('grant_exceeds_permissions')
}

/** An actor changes, detaches and resets only members who hold nothing that the actor lacks. */
export function assertCanActOn(actor: Authority, target: Authority): void {
  if (!covers(actor, target)) throw problem('target_exceeds_permissions')
}

export function assertPermission({ permissions }: Authority, required: Permission): void {
  if (!permissions.has(required)) throw problem('permission_missing', { required })
}
