import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { ExplainQuery, Explanation } from './schemas.ts'

/**
 * Which roles give a member a permission. Every member may ask about themselves, and about others with `users:read`.
 */
export async function explainPermission(
  tx: Tx,
  actor: CompanyActor,
  { userId, permission }: ExplainQuery,
): Promise<Explanation> {
  if (userId !== actor.accountId) assertCanReadMembers(actor)
  const member = await tx
    .selectFrom('memberships')
    .select(['status', 'awaits_verification'])
    .select(
      sql<Explanation['roles']>`(
        select coalesce(json_agg(json_build_object('id', id, 'name', name) order by name_folded), '[]')
        from (
          select distinct coalesce(roles.replaced_by, roles.id) as id, roles.name, roles.name_folded
          from membership_roles join roles on roles.id = membership_roles.role_id
          where membership_roles.account_id = memberships.account_id and ${permission} = any (roles.permissions)
        ) giving)`.as('roles'),
    )
    .where('account_id', '=', userId)
    .executeTakeFirst()
  if (!member) throw problem('member_not_found')
  if (member.status === 'inactive') return { allowed: false, roles: [], reason: 'inactive' }
  if (member.awaits_verification) return { allowed: false, roles: [], reason: 'not_open_yet' }
  const allowed = member.roles.length > 0
  return { allowed, roles: member.roles, reason: allowed ? 'held' : 'not_held' }
}

/** For operations that show members along the way. */
export function assertCanReadMembers({ permissions }: CompanyActor): void {
  if (!permissions.has('users:read')) throw problem('permission_missing', { required: 'users:read' })
}
