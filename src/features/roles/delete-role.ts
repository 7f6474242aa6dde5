import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanGrant, authorityOf, type RoleGrant } from '../../access/authority.ts'
import { assertCanEntrust } from '../../access/freshness.ts'
import { assertOwnersPassWith } from '../../access/owners.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { roleSubject } from '../audit/subjects.ts'
import { notifyOfNewOwner } from '../ownership/notify-owners-changed.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'
import { getEditableRole } from './edit-role.ts'
import { impactOf } from './impact.ts'
import { replaceRole } from './replaced-roles.ts'
import { assertCanActOnRoleMembers, assertCanGiveUp, listMemberEmails } from './role-members.ts'
import type { RoleImpact } from './schemas.ts'
import { countWaysToJoin } from './ways-to-join.ts'

export interface Deletion {
  /** The role that members with the deleted role get instead. */
  reassignTo?: string | undefined
  dryRun: boolean
}

/** Deletes a role without members, or gives its members another one, however many they are. */
export async function deleteRole(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  roleId: string,
  { reassignTo, dryRun }: Deletion,
): Promise<{ id: string; impact?: RoleImpact }> {
  const role = await getEditableRole(tx, actor, roleId)
  await assertCanActOnRoleMembers(tx, actor, roleId)
  const replacement = reassignTo ? await getReplacementRole(tx, actor, roleId, reassignTo) : undefined
  const count = role.memberCount + (await countWaysToJoin(tx, roleId))
  if (!replacement && count > 0) throw problem('role_in_use', { count })
  if (await isInPolicy(tx, roleId)) throw problem('role_in_use')
  if (replacement) await assertOwnersPassWith(tx, roleId, replacement)

  if (dryRun) return { id: roleId, impact: await impactOf(tx, actor, role, replacement?.permissions ?? []) }
  if (replacement) {
    await assertCanEntrust(tx, actor, authorityOf([replacement]), authorityOf([{ ...role, system_key: null }]))
    const lost = role.permissions.filter((name) => !replacement.permissions.includes(name))
    await assertCanGiveUp(tx, actor, roleId, lost)
    if (replacement.system_key === 'owner' && count > 0) {
      const person = { name: role.name, memberEmails: await listMemberEmails(tx, roleId) }
      await notifyOfNewOwner(tx, config, { person, by: actor, change: 'replaced' })
    }
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

/** Without it the policy would ask for less, which only a change of the policy may do. */
async function isInPolicy(tx: Tx, roleId: string): Promise<boolean> {
  const company = await tx
    .selectFrom('companies')
    .select('id')
    .where(sql<boolean>`${roleId}::text = any (policy_factor_roles)`)
    .executeTakeFirst()
  return company !== undefined
}

async function getReplacementRole(tx: Tx, actor: Authority, roleId: string, reassignTo: string): Promise<Role> {
  const [replacement] = (await findRolesById(tx, [reassignTo])).roles
  assertCanGrant(actor, replacement ? [replacement as RoleGrant] : [])
  if (!replacement) throw problem('role_unknown')
  if (replacement.id === roleId) throw problem('role_reassigned_to_itself')
  return replacement
}
