import { sql } from 'kysely'
import type { Tx } from '../database/open.ts'
import { folded } from '../lib/text.ts'
import { type ProblemCode, problem } from '../problems.ts'
import type { CompanyActor } from './actors.ts'
import { type Authority, authorityOf, type RoleGrant } from './authority.ts'
import type { Permission } from './permissions.ts'

export interface Role extends RoleGrant {
  id: string
  name: string
}

/** A member as the rules see it, with what it holds. */
export interface Membership {
  id: string
  name: string
  email: string
  locale: string
  status: 'active' | 'inactive'
  /** The company is closed to this member until its address is proven. */
  awaits_proof: boolean
  /** The account has come in at least once: until then the membership is only what the company says. */
  is_opened: boolean
  /** An administrator has seen a password of the account, and no mailed secret has proven its address since. */
  is_shown: boolean
  roles: Role[]
}

/** What a caller is told for whom the company is not there any more: by how the route names it. */
type Gone = Extract<ProblemCode, 'not_a_member' | 'company_not_found'>

/**
 * Taken before any membership row: whatever changes who holds what in a company happens one after the other, so that
 * what was checked is still so when it is written, and two Owners who remove each other wait instead of deadlocking. A
 * company that was deleted meanwhile is written to no more.
 */
export async function lockCompany(tx: Tx, gone: Gone = 'not_a_member'): Promise<void> {
  const company = await tx
    .selectFrom('companies')
    .select('id')
    .where('id', '=', sql<string>`current_company()`)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!company) throw problem(gone)
}

/** The actor as it is now, with the company locked: it may hold less than when the request came in. */
export async function lockedStanding(tx: Tx, actor: CompanyActor, gone: Gone = 'not_a_member'): Promise<Membership> {
  await lockCompany(tx, gone)
  const standing = await findMembership(tx, actor.accountId)
  if (standing?.status !== 'active' || !standing.is_opened) throw problem(gone)
  return standing
}

/** What the actor holds now, the required permission included, with the company locked. */
export async function lockedAuthority(
  tx: Tx,
  actor: CompanyActor,
  required: Permission,
  gone?: Gone,
): Promise<Authority> {
  const authority = authorityOf((await lockedStanding(tx, actor, gone)).roles)
  if (!authority.permissions.has(required)) throw problem('permission_missing', { required })
  return authority
}

export async function getMembership(tx: Tx, accountId: string): Promise<Membership> {
  const standing = await findMembership(tx, accountId)
  if (!standing) throw problem('member_not_found')
  return standing
}

export async function findMembership(tx: Tx, accountId: string): Promise<Membership | undefined> {
  return tx
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.id', 'accounts.name', 'accounts.email', 'accounts.locale'])
    .select(['memberships.status', 'memberships.awaits_proof'])
    .select(sql<boolean>`memberships.opened_at is not null`.as('is_opened'))
    .select(sql<boolean>`accounts.password_shown_at is not null`.as('is_shown'))
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

/** What letters that a company causes need to know of it. */
export interface EmailContext {
  name: string
  locale: string
  timezone: string
}

export async function senderOf(tx: Tx): Promise<EmailContext> {
  return tx.selectFrom('companies').select(['name', 'locale', 'timezone']).executeTakeFirstOrThrow()
}

/** Who has named no language of their own is written to in the company's. */
export const withCompanyLocale = <Reader extends { locale: string }>(
  account: Reader,
  { locale }: EmailContext,
): Reader => ({
  ...account,
  locale: account.locale || locale,
})

/** Which of the wanted roles the company has, and whether one is not among them. */
export interface Wanted {
  roles: Role[]
  isOneUnknown: boolean
}

export async function rolesById(tx: Tx, ids: readonly string[]): Promise<Wanted> {
  const roles = await roleColumns(tx).where('id', 'in', ids).execute()
  return { roles: roles as Role[], isOneUnknown: roles.length < new Set(ids).size }
}

/** By name, folded as for the names' uniqueness: in any letter case. */
export async function rolesByName(tx: Tx, names: readonly string[]): Promise<Wanted> {
  const { rows } = await sql<{ role: Role | null }>`
    select case when roles.id is not null then jsonb_build_object(
      'id', roles.id, 'name', roles.name, 'permissions', roles.permissions, 'system_key', roles.system_key) end as role
    from unnest(${names.map(folded)}::text[]) as wanted (name) left join roles on roles.name_folded = wanted.name`.execute(
    tx,
  )
  const found = rows.flatMap(({ role }) => role ?? [])
  const roles = [...new Map(found.map((role) => [role.id, role])).values()]
  return { roles, isOneUnknown: found.length < rows.length }
}

export async function memberRole(tx: Tx): Promise<Wanted> {
  const role = await roleColumns(tx).where('system_key', '=', 'member').executeTakeFirstOrThrow()
  return { roles: [role as Role], isOneUnknown: false }
}

const roleColumns = (tx: Tx) => tx.selectFrom('roles').select(['id', 'name', 'permissions', 'system_key'])
