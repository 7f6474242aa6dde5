import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanGrant, type RoleGrant } from '../../access/authority.ts'
import { assertFresh, WITH_FACTOR } from '../../access/freshness.ts'
import { assertOwnersPassWith } from '../../access/owners.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { roleSubject } from '../audit/subjects.ts'
import { replaceJoinRole } from '../domains/join-roles.ts'
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
  const count = role.memberCount + (await countOtherUses(tx, roleId))
  if (!replacement && count > 0) throw problem('role_in_use', { count })
  if (await isInPolicy(tx, roleId)) throw problem('role_in_use')
  if (replacement) await assertOwnersPassWith(tx, roleId, replacement)

  if (dryRun) return { id: roleId, impact: await impactOf(tx, actor, role, replacement?.permissions ?? []) }
  if (replacement) {
    if (replacement.system_key === 'owner') await assertFresh(tx, actor, WITH_FACTOR)
    await replaceJoinRole(tx, roleId, replacement.id)
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

/**
 * Pending invitations, links that still work, and domains whose people get it: without it people who join would get `Member`
 * instead, which may give more, and only an owner chooses that.
 */
async function countOtherUses(tx: Tx, roleId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (
      select count(*) from invitation_roles join invitations on invitations.id = invitation_id
      where role_id = ${roleId} and status = 'pending' and expires_at > now()
    ) + (
      select count(*) from invitation_link_roles join invitation_links on invitation_links.id = link_id
      where role_id = ${roleId} and revoked_at is null and expires_at > now() and uses < max_uses
    ) + (select count(*) from company_domain_roles where role_id = ${roleId}) as count`.execute(tx)
  return rows[0]?.count ?? 0
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
