import type { Authority } from '../../access/authority.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Tx } from '../../database/open.ts'
import type { AccountSummary } from '../accounts/schemas.ts'
import { groupHolders, type HolderGroup, MEMBERS_MAX } from './role-members.ts'
import type { RoleView } from './roles.ts'
import type { PermissionImpact, RoleImpact } from './schemas.ts'
import { countWaysToJoin } from './ways-to-join.ts'

/** What members would gain and lose if the role gave these permissions. Without `users:read` only numbers. */
export async function impactOf(
  tx: Tx,
  authority: Authority,
  role: RoleView,
  permissions: readonly Permission[],
): Promise<RoleImpact> {
  const gained = permissions.filter((name) => !role.permissions.includes(name))
  const lost = role.permissions.filter((name) => !permissions.includes(name))
  const groups = await groupHolders(tx, role.id, [...gained, ...lost])
  const members = authority.permissions.has('users:read') ? await membersById(tx, groups) : undefined
  const impactsOn = (names: Permission[]) =>
    names.map((name) => impactOn(name, groups, members)).filter(({ memberCount }) => memberCount > 0)
  return {
    memberCount: sum(groups.filter(({ affected }) => affected.size > 0)),
    gaining: impactsOn(gained),
    losing: impactsOn(lost),
    joiningCount: await countWaysToJoin(tx, role.id),
  }
}

function impactOn(
  permission: Permission,
  groups: HolderGroup[],
  members: Map<string, AccountSummary> | undefined,
): PermissionImpact {
  const touched = groups.filter(({ affected }) => affected.has(permission))
  const ids = touched.flatMap(({ first }) => first).sort()
  const named = ids.slice(0, MEMBERS_MAX).flatMap((id) => members?.get(id) ?? [])
  return { permission, memberCount: sum(touched), ...(members && { members: named }) }
}

const sum = (groups: HolderGroup[]) => groups.reduce((total, { count }) => total + count, 0)

async function membersById(tx: Tx, groups: HolderGroup[]): Promise<Map<string, AccountSummary>> {
  const ids = groups.filter(({ affected }) => affected.size > 0).flatMap(({ first }) => first)
  if (ids.length === 0) return new Map()
  const rows = await tx.selectFrom('accounts').select(['id', 'name', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
