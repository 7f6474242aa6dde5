import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanGrant, type RoleGrant } from '../../access/authority.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { roleSubject } from '../audit/subjects.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'
import { getEditableRole } from './edit-role.ts'
import { impactOf } from './impact.ts'
import { replaceRole } from './replaced-roles.ts'
import { assertCanActOnRoleMembers } from './role-members.ts'
import type { RoleImpact } from './schemas.ts'

export interface Deletion {
  /** The role that members with the deleted role get instead. */
  reassignTo?: string | undefined
  dryRun: boolean
}

/** Deletes a role without members, or gives its members another one, however many they are. */
export async function deleteRole(
  tx: Tx,
  actor: CompanyActor,
  roleId: string,
  { reassignTo, dryRun }: Deletion,
): Promise<{ id: string; impact?: RoleImpact }> {
  const role = await getEditableRole(tx, actor, roleId)
  await assertCanActOnRoleMembers(tx, actor, roleId)
  const replacement = reassignTo ? await getReplacementRole(tx, actor, roleId, reassignTo) : undefined
  if (!replacement && role.memberCount > 0) throw problem('role_in_use', { count: role.memberCount })

  if (dryRun) return { id: roleId, impact: await impactOf(tx, actor, role, replacement?.permissions ?? []) }
  if (replacement) {
    await replaceRole(tx, role, replacement)
    await deleteInvalidTransfer(tx)
  } else {
    await tx.deleteFrom('roles').where('id', '=', roleId).execute()
  }
  await record(tx, actor, 'roles.delete', roleSubject(role), {
    name: { from: role.name },
    permissions: { from: role.permissions },
    ...(replacement && { reassigned_to: { to: replacement.name }, reassigned_members: { to: role.memberCount } }),
  })
  return { id: roleId }
}

async function getReplacementRole(tx: Tx, actor: Authority, roleId: string, reassignTo: string): Promise<Role> {
  const [replacement] = (await findRolesById(tx, [reassignTo])).roles
  assertCanGrant(actor, replacement ? [replacement as RoleGrant] : [])
  if (!replacement) throw problem('role_unknown')
  if (replacement.id === roleId) throw problem('role_reassigned_to_itself')
  return replacement
}
