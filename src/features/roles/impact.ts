import { type RawBuilder, sql } from 'kysely'
import type { Authority } from '../../authority.ts'
import type { Tx } from '../../database/open.ts'
import type { Permission } from '../../permissions.ts'
import { problem } from '../../problems.ts'
import type { RoleView } from './roles.ts'

const MEMBERS_MAX = 100

export interface PermissionImpact {
  permission: string
  memberCount: number
  members?: { id: string; name: string; email: string }[]
}

/** What a change of a role would do to those who hold it, beyond what their other roles give them anyway. */
export interface Impact {
  memberCount: number
  gaining: PermissionImpact[]
  losing: PermissionImpact[]
}

/** Throws when somebody who holds more than the actor would gain or lose one of these permissions by the role. */
export async function refuseChangeAbove(
  tx: Tx,
  authority: Authority,
  roleId: string,
  changed: readonly Permission[],
): Promise<void> {
  if (changed.length === 0) return
  const hasItAnyway = sql`exists (
    select from membership_roles more join roles on roles.id = more.role_id
    where more.account_id = held.account_id and more.role_id <> held.role_id and wanted.name = any (roles.permissions))`
  const gainsOrLoses = sql`exists (select from unnest(${changed}::text[]) as wanted (name) where not ${hasItAnyway})`
  await refuseWhere(tx, authority, roleId, gainsOrLoses)
}

/** Throws when somebody who holds more than the actor holds the role: who takes it from them acts upward. */
export async function refuseHoldersAbove(tx: Tx, authority: Authority, roleId: string): Promise<void> {
  await refuseWhere(tx, authority, roleId, sql`true`)
}

/** The role itself gives nothing that the actor lacks, so whoever is above holds another one that does. */
async function refuseWhere(
  tx: Tx,
  { permissions, isOwner }: Authority,
  roleId: string,
  isChanged: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql`
    select from membership_roles held
    join membership_roles other on other.account_id = held.account_id and other.role_id <> held.role_id
    join roles upper on upper.id = other.role_id
    where held.role_id = ${roleId}
      and (not upper.permissions <@ ${[...permissions]}::text[] or upper.system_key = 'owner' and not ${isOwner}::boolean)
      and ${isChanged}
    limit 1`.execute(tx)
  if (rows.length > 0) throw problem('acts_upward')
}

/** For a role that is to give these permissions from now on; of members only numbers, for who may not read them. */
export async function impactOf(
  tx: Tx,
  authority: Authority,
  role: RoleView,
  permissions: readonly Permission[],
): Promise<Impact> {
  const gained = permissions.filter((name) => !role.permissions.includes(name))
  const lost = role.permissions.filter((name) => !permissions.includes(name))
  const found = await findAffected(tx, role.id, [...gained, ...lost])
  const mayRead = authority.permissions.has('users:read')
  const impacts = (names: Permission[]) =>
    found
      .filter(({ permission, memberCount }) => names.includes(permission) && memberCount > 0)
      .map(({ permission, memberCount, members }) => ({ permission, memberCount, ...(mayRead && { members }) }))
  return { memberCount: found[0]?.affected ?? 0, gaining: impacts(gained), losing: impacts(lost) }
}

interface Affected extends Required<PermissionImpact> {
  permission: Permission
  /** How many members gain or lose any of the permissions. */
  affected: number
}

/**
 * Each permission is a bit; `kept` are those that a member's other roles give. Members alike are counted together, so that
 * nothing but the first look at them grows with their number.
 */
async function findAffected(tx: Tx, roleId: string, changed: Permission[]): Promise<Affected[]> {
  if (changed.length === 0) return []
  const { rows } = await sql<Affected>`
    with changed as (
      select name, place, 1::bigint << (place - 1)::integer as bit
      from unnest(${changed}::text[]) with ordinality as listed (name, place)),
    giving as materialized (
      select roles.id, bit_or(bit) as bits from roles join changed on changed.name = any (roles.permissions)
      where roles.id <> ${roleId} group by roles.id),
    holders as (
      select held.account_id, coalesce(bit_or(giving.bits), 0) as kept
      from membership_roles held
      left join membership_roles other on other.account_id = held.account_id
      left join giving on giving.id = other.role_id
      where held.role_id = ${roleId} group by held.account_id),
    placed as (
      select account_id, name_folded, kept, count(*) over (partition by kept) as alike,
        row_number() over (partition by kept order by name_folded, account_id) as place
      from holders join memberships using (account_id)),
    shown as materialized (select * from placed where place <= ${sql.lit(MEMBERS_MAX)})
    select name as permission,
      (select coalesce(sum(alike), 0)::bigint from shown where place = 1 and kept & bit = 0) as "memberCount",
      (select coalesce(sum(alike), 0)::bigint from shown
       where place = 1 and exists (select from changed where kept & bit = 0)) as affected,
      (select coalesce(json_agg(json_build_object('id', accounts.id, 'name', accounts.name, 'email', accounts.email)
         order by first.name_folded, first.account_id), '[]')
       from (select * from shown where kept & bit = 0 order by name_folded, account_id limit ${sql.lit(MEMBERS_MAX)}) first
       join accounts on accounts.id = first.account_id) as members
    from changed order by changed.place`.execute(tx)
  return rows
}
