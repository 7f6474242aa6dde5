import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanActOn, assertCanGrant, authorityOf, type RoleGrant } from '../../access/authority.ts'
import { assertCanEntrust } from '../../access/freshness.ts'
import { permissions as catalogue, type Permission } from '../../access/permissions.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { roleSubject } from '../audit/subjects.ts'
import { impactOf } from './impact.ts'
import { assertNameAvailable, nameColumns } from './names.ts'
import { assertCanActOnRoleMembers, assertCanGiveUp } from './role-members.ts'
import { getRole, type RoleView } from './roles.ts'
import type { NewRole, RoleImpact, RoleUpdate } from './schemas.ts'

/** Bounded, so that what reads all roles of a company, such as its policy, takes no longer for a company that has many. */
const ROLES_MAX = 1000

export async function createRole(tx: Tx, actor: CompanyActor, wanted: NewRole): Promise<RoleView> {
  const { name, description = '', permissions } = { ...wanted, permissions: inCatalogueOrder(wanted.permissions) }
  assertCanGrant(actor, [grantOf(permissions)])
  await assertNameAvailable(tx, name)
  await assertBelowLimit(tx)

  const id = newId()
  await tx
    .insertInto('roles')
    .values({ id, ...nameColumns(name), ...describing({ name, description }), permissions })
    .execute()
  await record(tx, actor, 'roles.create', roleSubject({ id, name }), {
    name: { to: name },
    ...(description && { description: { to: description } }),
    permissions: { to: permissions },
  })
  return getRole(tx, id)
}

/** Roles that were replaced count until their members have the other one. */
async function assertBelowLimit(tx: Tx): Promise<void> {
  const last = await tx
    .selectFrom('roles')
    .select('id')
    .offset(ROLES_MAX - 1)
    .limit(1)
    .executeTakeFirst()
  if (last) throw problem('role_limit_reached')
}

/**
 * Changes a role, and with it what every member who has it may do. A dry run is refused where the change would be, and
 * returns what would change for whom.
 */
export async function updateRole(
  tx: Tx,
  actor: CompanyActor,
  roleId: string,
  wanted: RoleUpdate,
  { dryRun }: { dryRun: boolean },
): Promise<RoleView & { impact?: RoleImpact }> {
  const now = await getEditableRole(tx, actor, roleId)
  const next = resultOf(now, wanted)
  assertCanGrant(actor, [grantOf(next.permissions)])
  const lost = now.permissions.filter((name) => !next.permissions.includes(name))
  const changed = lost.concat(next.permissions.filter((name) => !now.permissions.includes(name)))
  await assertCanActOnRoleMembers(tx, actor, roleId, changed)
  if (next.name !== now.name) await assertNameAvailable(tx, next.name, roleId)

  if (dryRun) return { ...next, impact: await impactOf(tx, actor, now, next.permissions) }
  const changes = changesOf(now, next)
  if (Object.keys(changes).length === 0) return now
  await assertCanEntrust(tx, actor, authorityOf([grantOf(next.permissions)]), authorityOf([grantOf(now.permissions)]))
  await assertCanGiveUp(tx, actor, roleId, lost)
  await tx
    .updateTable('roles')
    .set({
      // A name stored before lookalikes were checked stays valid until it changes, and has no skeleton to write.
      ...(changes.name && nameColumns(next.name)),
      ...describing(next),
      permissions: next.permissions,
      updated_at: sql`now()`,
    })
    .where('id', '=', roleId)
    .execute()
  await record(tx, actor, 'roles.update', roleSubject(next), changes)
  return getRole(tx, roleId)
}

/** A role that the company created and that gives nothing which the actor lacks. */
export async function getEditableRole(tx: Tx, authority: Authority, roleId: string): Promise<RoleView> {
  const role = await getRole(tx, roleId)
  if (role.isSystem) throw problem('system_role')
  assertCanActOn(authority, { permissions: new Set(role.permissions), isOwner: false })
  return role
}

function resultOf(now: RoleView, { name, description, permissions }: RoleUpdate): RoleView {
  return {
    ...now,
    name: name ?? now.name,
    description: description ?? now.description,
    permissions: permissions ? inCatalogueOrder(permissions) : now.permissions,
  }
}

function changesOf(now: RoleView, next: RoleView): Changes {
  const added = next.permissions.filter((name) => !now.permissions.includes(name))
  const removed = now.permissions.filter((name) => !next.permissions.includes(name))
  return {
    ...(next.name !== now.name && { name: { from: now.name, to: next.name } }),
    ...(next.description !== now.description && { description: { from: now.description, to: next.description } }),
    ...(added.length > 0 && { permissions_added: { to: added } }),
    ...(removed.length > 0 && { permissions_removed: { from: removed } }),
  }
}

/** Each permission once, in the order of the catalogue, so that equal permissions make equal roles. */
const inCatalogueOrder = (wanted: readonly Permission[]) => catalogue.filter((name) => wanted.includes(name))

const grantOf = (permissions: readonly Permission[]): RoleGrant => ({ permissions, system_key: null })

const describing = ({ name, description }: Pick<RoleView, 'name' | 'description'>) => ({
  description,
  search: folded(`${name} ${description}`),
})
