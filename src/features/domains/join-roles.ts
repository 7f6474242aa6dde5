import { sql } from 'kysely'
import { type Authority, assertCanGrant, authorityOf } from '../../access/authority.ts'
import type { Permission } from '../../access/permissions.ts'
import { findRolesById, getMemberRole, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

/** A role chosen for people who join by a domain, and whether they get it by itself. */
export interface JoinRole extends Role {
  given: boolean
}

/** Throws unless all of them may be given to people who join. Only an owner asks. */
export async function getRolesForJoining(tx: Tx, owner: Authority, ids: readonly string[]): Promise<Role[]> {
  const { roles, isOneUnknown } = ids.length > 0 ? await findRolesById(tx, ids) : { roles: [], isOneUnknown: false }
  assertCanGrant(owner, roles)
  if (isOneUnknown) throw problem('role_unknown')
  if (authorityOf(roles).isOwner) throw problem('owner_role_not_allowed')
  return roles
}

/** The owner who chooses them approves what they give now. */
export async function setJoinRoles(tx: Tx, domainId: string, roles: Role[]): Promise<void> {
  const approved = [...authorityOf(roles).permissions].sort()
  const values = roles.map(({ id }) => ({ domain_id: domainId, role_id: id }))
  await Promise.all([
    tx.deleteFrom('company_domain_roles').where('domain_id', '=', domainId).execute(),
    values.length > 0 && tx.insertInto('company_domain_roles').values(values).execute(),
    tx.updateTable('company_domains').set({ approved_permissions: approved }).where('id', '=', domainId).execute(),
  ])
}

/**
 * The chosen roles of domains. One that gives more than Member and than an owner has approved is not given: members who edit
 * roles don’t decide what people who join get, and neither does an intruder from whom the account of the owner was recovered.
 */
export async function findJoinRoles(tx: Tx, domainIds: readonly string[]): Promise<Map<string, JoinRole[]>> {
  if (domainIds.length === 0) return new Map()
  const [
    {
      roles: [member],
    },
    chosen,
  ] = await Promise.all([
    getMemberRole(tx),
    tx
      .selectFrom('company_domain_roles')
      .innerJoin('company_domains', 'company_domains.id', 'company_domain_roles.domain_id')
      .innerJoin('roles', 'roles.id', 'company_domain_roles.role_id')
      .select(['company_domains.id as domainId', approvedPermissions.as('approved_permissions')])
      .select(['roles.id', 'roles.name', 'roles.permissions', 'roles.system_key'])
      .where(sql<boolean>`company_domains.id = any(${domainIds}::uuid[])`)
      .orderBy('roles.name_folded')
      .execute(),
  ])
  const byDomain = new Map<string, JoinRole[]>(domainIds.map((id) => [id, []]))
  for (const { domainId, approved_permissions, ...row } of chosen) {
    const role = row as Role
    const approved = new Set([...(member?.permissions ?? []), ...(approved_permissions as Permission[])])
    const given = role.system_key !== 'owner' && new Set(role.permissions).isSubsetOf(approved)
    byDomain.get(domainId)?.push({ ...role, given })
  }
  return byDomain
}

const approvedPermissions = sql<string[]>`
  case when is_joining_stood_by(company_domains.id) then approved_permissions else '{}' end`

/** What a person who joins by this domain gets; null: by one that is gone. */
export async function rolesGivenBy(tx: Tx, domainId: string | null): Promise<Role[]> {
  const chosen = domainId === null ? [] : ((await findJoinRoles(tx, [domainId])).get(domainId) ?? [])
  const given = chosen.filter((role) => role.given)
  return given.length > 0 ? given : (await getMemberRole(tx)).roles
}
