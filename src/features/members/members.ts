import { sql } from 'kysely'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { Member, MemberQuery } from './schemas.ts'

export async function listMembers(tx: Tx, query: MemberQuery): Promise<{ items: Member[]; total: number }> {
  return query.search || query.roleId || query.branchId ? listFound(tx, query) : listAll(tx, query)
}

const sortColumns = { name: 'name_folded', email: 'email', created_at: 'created_at', status: 'status' } as const

/** Without a filter the page is read from an index in order, and the total from a counter. */
async function listAll(tx: Tx, { page, limit, status, sortBy, sortDir }: MemberQuery) {
  const ids = tx
    .selectFrom('memberships')
    .select('account_id')
    .$if(status !== undefined, (query) => query.where('status', '=', status as 'active'))
    .orderBy(sortColumns[sortBy], sortDir)
    .orderBy('account_id', sortDir)
    .limit(sql.lit(limit))
    .offset((page - 1) * limit)
  const [items, total] = await Promise.all([
    viewsOf(tx, { sortBy, sortDir }).where('memberships.account_id', 'in', ids).execute(),
    countMembers(tx, status),
  ])
  return { items, total }
}

async function countMembers(tx: Tx, status: MemberQuery['status']): Promise<number> {
  const counters = await tx
    .selectFrom('company_counters')
    .select(['active_members', 'inactive_members'])
    .executeTakeFirstOrThrow()
  if (status) return counters[`${status}_members`]
  return counters.active_members + counters.inactive_members
}

/**
 * With a filter one function finds the page’s ids and the total, with a plan for these very values: see
 * docs/decisions/0008-member-list.md.
 */
async function listFound(tx: Tx, { page, limit, search, status, roleId, branchId, sortBy, sortDir }: MemberQuery) {
  const pattern = search ? likePattern(search) : null
  const { rows } = await sql<{ ids: string[] | null; total: number }>`
    select ids, total from find_members(${pattern}, ${status ?? null}, ${roleId ?? null}, ${branchId ?? null},
      ${sortBy}, ${sortDir === 'desc'}, ${limit}, ${(page - 1) * limit})`.execute(tx)
  const { ids = null, total = 0 } = rows[0] ?? {}
  if (!ids) return { items: [], total }
  const items = await viewsOf(tx, { sortBy, sortDir })
    .where(sql<boolean>`memberships.account_id = any(${ids}::uuid[])`)
    .execute()
  return { items, total }
}

/** The only way to read one member, because its ETag is made from this. */
export async function getMember(tx: Tx, accountId: string): Promise<Member> {
  const member = await viewsOf(tx, { sortBy: 'name', sortDir: 'asc' })
    .select(sql<string>`memberships.updated_at::text`.as('changed_at'))
    .where('memberships.account_id', '=', accountId)
    .executeTakeFirst()
  if (!member) throw problem('member_not_found')
  return member
}

function viewsOf(tx: Tx, { sortBy, sortDir }: Pick<MemberQuery, 'sortBy' | 'sortDir'>) {
  const orOwn = (column: 'phone' | 'position') =>
    sql<string>`case when memberships.${sql.ref(column)} = '' and ${isOpened}
      then accounts.${sql.ref(column)} else memberships.${sql.ref(column)} end`.as(column)
  return tx
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .innerJoinLateral(rolesHeld, (join) => join.onTrue())
    .select(['accounts.id', 'accounts.name', 'accounts.email', orOwn('phone'), orOwn('position')])
    .select(sql<string | null>`case when ${isOpened} then accounts.avatar_url end`.as('avatar_url'))
    .select(
      sql<boolean>`accounts.must_change_password and (${isOpened} or memberships.created_account)`.as(
        'must_change_password',
      ),
    )
    .select(
      sql<boolean>`memberships.created_account and accounts.opened_companies = (${isOpened})::integer`.as('managed'),
    )
    .select(sql<boolean>`memberships.created_account and accounts.password_shown_at is not null`.as('password_shown'))
    .select(['memberships.status', 'memberships.created_at', branchIds.as('branchIds')])
    .select(['held.names as roles', 'held.ids as roleIds'])
    .orderBy(`memberships.${sortColumns[sortBy]}`, sortDir)
    .orderBy('memberships.account_id', sortDir)
}

/** Until the account has opened the company, the company sees only the name and address that it added. */
const isOpened = sql<boolean>`memberships.opened_at is not null`

const rolesHeld = sql<{ names: string[]; ids: string[] }>`(
  select coalesce(array_agg(name), '{}') as names, coalesce(array_agg(id), '{}') as ids
  from (
    select distinct roles.name, coalesce(roles.replaced_by, roles.id) as id
    from membership_roles join roles on roles.id = membership_roles.role_id
    where membership_roles.company_id = memberships.company_id
      and membership_roles.account_id = memberships.account_id
    order by 1, 2) sorted)`.as<'held'>(sql`held`)

const branchIds = sql<string[]>`array(
  select membership_branches.branch_id from membership_branches
  where membership_branches.company_id = memberships.company_id
    and membership_branches.account_id = memberships.account_id
  order by membership_branches.branch_id)`

/**
 * Called last by the writers of memberships, so that the one row that all writers of a company share is locked as
 * briefly as possible.
 */
export async function adjustMemberCounters(tx: Tx, change: { active?: number; inactive?: number }): Promise<void> {
  await tx
    .updateTable('company_counters')
    .set({
      active_members: sql`active_members + ${change.active ?? 0}`,
      inactive_members: sql`inactive_members + ${change.inactive ?? 0}`,
    })
    .execute()
}
