import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanGrant, type RoleGrant } from '../../access/authority.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { roleSubject } from '../audit/subjects.ts'
import { reassign } from '../members/reassign-role.ts'
import { dropDeadOffer } from '../ownership/transfers.ts'
import { ownRoleOf } from './edit-role.ts'
import { impactOf } from './impact.ts'
import { assertCanActOnRoleMembers } from './role-members.ts'
import type { RoleImpact } from './schemas.ts'

export interface Deletion {
  /** The role that its members get instead. */
  reassignTo?: string | undefined
  dryRun: boolean
}

/** Deletes a role that nobody holds, or whose members get another one instead. */
export async function deleteRole(
  tx: Tx,
  actor: CompanyActor,
  roleId: string,
  { reassignTo, dryRun }: Deletion,
): Promise<{ id: string; impact?: RoleImpact }> {
  const role = await ownRoleOf(tx, actor, roleId)
  await assertCanActOnRoleMembers(tx, actor, roleId)
  const replacement = reassignTo ? await heirOf(tx, actor, roleId, reassignTo) : undefined
  if (!replacement && role.memberCount > 0) throw problem('role_in_use', { count: role.memberCount })

  if (dryRun) return { id: roleId, impact: await impactOf(tx, actor, role, replacement?.permissions ?? []) }
  if (replacement) {
    await reassign(tx, roleId, replacement.id)
    await dropDeadOffer(tx)
  }
  await tx.deleteFrom('roles').where('id', '=', roleId).execute()
  await record(tx, actor, 'roles.delete', roleSubject(role), {
    name: { from: role.name },
    permissions: { from: role.permissions },
    ...(replacement && { reassigned_to: { to: replacement.name }, reassigned_members: { to: role.memberCount } }),
  })
  return { id: roleId }
}

async function heirOf(tx: Tx, actor: Authority, roleId: string, reassignTo: string): Promise<Role> {
  const [replacement] = (await findRolesById(tx, [reassignTo])).roles
  assertCanGrant(actor, replacement ? [replacement as RoleGrant] : [])
  if (!replacement) throw problem('role_unknown')
  if (replacement.id === roleId) throw problem('role_reassigned_to_itself')
  return replacement
}
