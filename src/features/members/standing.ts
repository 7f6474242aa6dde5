import { sql } from 'kysely'
import { type Authority, authorityOf, type RoleGrant } from '../../authority.ts'
import type { Member } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import type { Permission } from '../../permissions.ts'
import { problem } from '../../problems.ts'
import type { Subject } from '../audit/records.ts'

export interface Role extends RoleGrant {
  id: string
  name: string
}

/** A member as the rules see it, with what it holds. */
export interface Standing {
  id: string
  name: string
  email: string
  locale: string
  status: 'active' | 'inactive'
  roles: Role[]
}

/**
 * Taken before any membership row: whatever changes who holds what in a company happens one after the other, so that
 * what was checked is still so when it is written, and two Owners who remove each other wait instead of deadlocking.
 */
async function lockCompany(tx: Tx): Promise<void> {
  await tx
    .selectFrom('companies')
    .select('id')
    .where('id', '=', sql<string>`current_company()`)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .execute()
}

/** What the actor holds now, with the company locked: it may be less than when the request came in. */
export async function lockedAuthority(tx: Tx, actor: Member, required: Permission): Promise<Authority> {
  await lockCompany(tx)
  const standing = await findStanding(tx, actor.accountId)
  if (standing?.status !== 'active') throw problem('not_a_member')
  const authority = authorityOf(standing.roles)
  if (!authority.permissions.has(required)) throw problem('permission_missing', { required })
  return authority
}

export async function standingOf(tx: Tx, accountId: string): Promise<Standing> {
  const standing = await findStanding(tx, accountId)
  if (!standing) throw problem('member_not_found')
  return standing
}

async function findStanding(tx: Tx, accountId: string): Promise<Standing | undefined> {
  return tx
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.id', 'accounts.name', 'accounts.email', 'accounts.locale', 'memberships.status'])
    .select(
      sql<Role[]>`(
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', roles.id, 'name', roles.name, 'permissions', roles.permissions, 'system_key', roles.system_key)), '[]')
        from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.company_id = memberships.company_id
          and membership_roles.account_id = memberships.account_id)`.as('roles'),
    )
    .where('memberships.account_id', '=', accountId)
    .executeTakeFirst()
}

export async function companyName(tx: Tx): Promise<string> {
  return (await tx.selectFrom('companies').select('name').executeTakeFirstOrThrow()).name
}

/** How the audit names a member. */
export const memberSubject = ({ id, email }: { id: string; email: string }): Subject => ({
  type: 'member',
  id,
  label: email,
})

/** The roles with these ids that the company has; the caller compares how many there are. */
export async function rolesById(tx: Tx, ids: readonly string[]): Promise<Role[]> {
  if (ids.length === 0) return []
  return tx
    .selectFrom('roles')
    .select(['id', 'name', 'permissions', 'system_key'])
    .where('id', 'in', ids)
    .execute() as Promise<Role[]>
}

/** The same by name, without regard to letter case. */
export async function rolesByName(tx: Tx, names: readonly string[]): Promise<Role[]> {
  if (names.length === 0) return []
  return tx
    .selectFrom('roles')
    .select(['id', 'name', 'permissions', 'system_key'])
    .where(
      sql<string>`lower(name)`,
      'in',
      names.map((name) => sql<string>`lower(${name})`),
    )
    .execute() as Promise<Role[]>
}

export async function memberRole(tx: Tx): Promise<Role> {
  return tx
    .selectFrom('roles')
    .select(['id', 'name', 'permissions', 'system_key'])
    .where('system_key', '=', 'member')
    .executeTakeFirstOrThrow() as Promise<Role>
}
