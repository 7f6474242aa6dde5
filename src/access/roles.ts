import { sql } from 'kysely'
import type { Tx } from '../database/open.ts'
import { folded } from '../lib/text.ts'
import type { RoleGrant } from './authority.ts'

export interface Role extends RoleGrant {
  id: string
  name: string
}

/** What the policy of a company knows a role by, as usable_memberships gives it. */
export const keyOf = ({ id, system_key }: Role): string => system_key ?? id

/** The requested roles that the company has, and whether it lacks one of them. */
export interface FoundRoles {
  roles: Role[]
  isOneUnknown: boolean
}

export async function findRolesById(tx: Tx, ids: readonly string[]): Promise<FoundRoles> {
  const roles = await roleColumns(tx).where('id', 'in', ids).execute()
  return { roles: roles as Role[], isOneUnknown: roles.length < new Set(ids).size }
}

/** Names are folded as for their uniqueness: letter case does not matter. */
export async function findRolesByName(tx: Tx, names: readonly string[]): Promise<FoundRoles> {
  const { rows } = await sql<{ role: Role | null }>`
    select case when roles.id is not null then jsonb_build_object(
      'id', roles.id, 'name', roles.name, 'permissions', roles.permissions, 'system_key', roles.system_key) end as role
    from unnest(${names.map(folded)}::text[]) as wanted (name) left join roles on roles.name_folded = wanted.name and roles.replaced_by is null`.execute(
    tx,
  )
  const found = rows.flatMap(({ role }) => role ?? [])
  const roles = [...new Map(found.map((role) => [role.id, role])).values()]
  return { roles, isOneUnknown: found.length < rows.length }
}

export async function getMemberRole(tx: Tx): Promise<FoundRoles> {
  const role = await roleColumns(tx).where('system_key', '=', 'member').executeTakeFirstOrThrow()
  return { roles: [role as Role], isOneUnknown: false }
}

const roleColumns = (tx: Tx) =>
  tx.selectFrom('roles').select(['id', 'name', 'permissions', 'system_key']).where('replaced_by', 'is', null)
