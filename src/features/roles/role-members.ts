import { type RawBuilder, sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Authority } from '../../access/authority.ts'
import { assertFresh, WITH_FACTOR } from '../../access/freshness.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Tx } from '../../database/open.ts'
import type { JsonPage } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { listMembers } from '../members/members.ts'
import type { Member } from '../members/schemas.ts'
import { assertCanReadMembers } from './explain-permission.ts'
import { getRole } from './roles.ts'
import type { HoldersQuery } from './schemas.ts'

/** The members with a role, active or not, as in the member list. */
export async function listRoleMembers(
  tx: Tx,
  actor: CompanyActor,
  roleId: string,
  query: HoldersQuery,
): Promise<JsonPage<Member>> {
  assertCanReadMembers(actor)
  await getRole(tx, roleId)
  return listMembers(tx, { ...query, roleId })
}

/**
 * Before a role gives less: throws where the actor has it, is no owner, and the session is not fresh. Who takes something from the own account does not get it
 * back alone, so a stolen token is not enough.
 */
export async function assertCanGiveUp(
  tx: Tx,
  actor: CompanyActor,
  roleId: string,
  lost: readonly Permission[],
): Promise<void> {
  if (lost.length === 0 || actor.isOwner) return
  const { rows } = await sql`
    select from membership_roles where account_id = ${actor.accountId} and role_id = any (${rolesOf(roleId)}) limit 1`.execute(
    tx,
  )
  if (rows.length > 0) await assertFresh(tx, actor, WITH_FACTOR)
}

const EMAILS_LISTED_MAX = 10

/** Of some members with the role, in no order: for the email about it. */
export async function listMemberEmails(tx: Tx, roleId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select memberships.email
    from (
      select distinct account_id from membership_roles where role_id = any (${rolesOf(roleId)})
      limit ${sql.lit(EMAILS_LISTED_MAX)}) held
    join memberships on memberships.account_id = held.account_id`.execute(tx)
  return rows.map(({ email }) => email)
}

/**
 * Throws when a member who holds more than the actor has the role, and would gain or lose one of the changed
 * permissions by it; without `changed`: when such a member has the role at all. The role itself gives nothing that the
 * actor lacks, so such a member has another role that does.
 */
export async function assertCanActOnRoleMembers(
  tx: Tx,
  { permissions, isOwner }: Authority,
  roleId: string,
  changed?: readonly Permission[],
): Promise<void> {
  if (isOwner || changed?.length === 0) return
  const { rows: upper } = await sql<{ id: string }>`
    select id from roles
    where not permissions <@ ${[...permissions]}::text[]
      or system_key = 'owner'`.execute(tx)
  if (upper.length === 0) return
  const { rows } = await sql`
    with ${changedAndGiving(roleId, changed ?? [])},
    above as materialized (
      select distinct held.account_id
      from membership_roles held join membership_roles other on other.account_id = held.account_id
      where held.role_id = any (${rolesOf(roleId)}) and other.role_id = any (${upper.map(({ id }) => id)}::uuid[]))
    select from above
    where ${changed === undefined} or ${keptBits(sql`above.account_id`)} <> (select coalesce(bit_or(bit), 0) from changed)
    limit 1`.execute(tx)
  if (rows.length > 0) throw problem('target_exceeds_permissions')
}

/** Members with a role whose other roles give them the same of the changed permissions. */
export interface HolderGroup {
  /** The permissions that their other roles do not give them. */
  affected: ReadonlySet<Permission>
  count: number
  /** The first members, by id. */
  first: string[]
}

export const MEMBERS_MAX = 100
/** Bounds the time of each statement, however many members have the role. */
const BATCH = 25_000
/** Sorts before the id of every account. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** All members with the role, in groups: only their counts grow with the company. */
export async function groupHolders(tx: Tx, roleId: string, changed: readonly Permission[]): Promise<HolderGroup[]> {
  const groups = new Map<number, HolderGroup>()
  if (changed.length === 0) return []
  for (let after = BEFORE_ALL, isMore = true; isMore; ) {
    const batch = await nextHolders(tx, roleId, changed, after)
    for (const { kept, count, first } of batch) {
      const known = groups.get(kept)
      const affected = known?.affected ?? new Set(changed.filter((_, place) => !(kept & (1 << place))))
      const all = [...(known?.first ?? []), ...first].slice(0, MEMBERS_MAX)
      groups.set(kept, { affected, count: (known?.count ?? 0) + count, first: all })
    }
    after = batch[0]?.last ?? after
    isMore = batch.reduce((total, { count }) => total + count, 0) === BATCH
  }
  return [...groups.values()]
}

interface Batch {
  kept: number
  count: number
  first: string[]
  last: string
}

async function nextHolders(tx: Tx, roleId: string, changed: readonly Permission[], after: string): Promise<Batch[]> {
  const { rows } = await sql<Batch>`
    select kept, members as count, first, last
    from group_role_members(${roleId}, ${changed}, ${after}, ${BATCH}, ${MEMBERS_MAX})`.execute(tx)
  return rows
}

/** Each permission is a bit; each other role has the bits of the permissions that it gives. */
const changedAndGiving = (roleId: string, changed: readonly Permission[]) => sql`
  changed as (
    select name, 1 << (place - 1)::integer as bit
    from unnest(${changed}::text[]) with ordinality as listed (name, place)),
  giving as materialized (
    select roles.id, bit_or(bit) as bits from roles join changed on changed.name = any (roles.permissions)
    where roles.id <> all (${rolesOf(roleId)}) group by roles.id)`

/** The role and those that it has replaced. */
const rolesOf = (roleId: string) => sql`array(select id from roles where id = ${roleId} or replaced_by = ${roleId})`

const keptBits = (accountId: RawBuilder<unknown>) => sql`coalesce((
  select bit_or(giving.bits) from membership_roles other join giving on giving.id = other.role_id
  where other.company_id = current_company() and other.account_id = ${accountId}), 0)`
