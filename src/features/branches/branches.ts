import { type RawBuilder, sql } from 'kysely'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import type { Branch, BranchQuery } from './schemas.ts'

/** A company has a bounded number of branches, so that counting and sorting them all is quick. */
export async function listBranches(tx: Tx, query: BranchQuery): Promise<Page<Branch>> {
  const { parentId } = query
  const condition = sql<boolean>`${isMatch(query)} and ${parentId === undefined ? sql`true` : isBelow(parentId)}`
  const matching = tx.selectFrom('branches').where(condition)
  // A subquery of its own: the columns of a branch are computed for this page alone, not for the pages before it.
  return findPage(matching, query, (branches, total) =>
    viewsOf(tx)
      .select(total.as('total'))
      .where('branches.id', 'in', branches.select('branches.id').orderBy(orderColumns(query)))
      .orderBy(orderColumns(query)),
  )
}

export function isMatch({ search, status }: BranchQuery): RawBuilder<boolean> {
  const pattern = search && likePattern(search)
  const conditions = [
    ...(status ? [sql`branches.status = ${status}`] : []),
    ...(pattern ? [sql`(branches.name_folded like ${pattern} or branches.code_folded like ${pattern})`] : []),
  ]
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`
}

/** Whether a branch is directly under this one; `root`: at the top level. */
export const isBelow = (parentId: string) =>
  parentId === 'root' ? sql`branches.parent_id is null` : sql`branches.parent_id = ${parentId}`

const sortColumns = { name: 'name_folded', code: 'code_folded', created_at: 'created_at', status: 'status' } as const

export function orderColumns({ sortBy, sortDir }: Pick<BranchQuery, 'sortBy' | 'sortDir'>) {
  const direction = sortDir === 'asc' ? sql`asc` : sql`desc`
  return sql`${sql.ref(`branches.${sortColumns[sortBy]}`)} ${direction}, branches.id ${direction}`
}

/** The only way to read one branch, because its ETag is made from this. */
export async function getBranch(tx: Tx, id: string): Promise<Branch> {
  const branch = await viewsOf(tx).where('branches.id', '=', id).executeTakeFirst()
  if (!branch) throw problem('branch_not_found')
  return branch
}

const viewsOf = (tx: Tx) =>
  tx
    .selectFrom('branches')
    .select(branchColumns)
    .select(depthOf(sql.ref('branches.id')).as('depth'))

/** The level of a branch, 1 at the top: at most eight steps up, so it is not computed for all branches of a company. */
export const depthOf = (id: RawBuilder<unknown>) => sql<number>`(
  with recursive upward as (
    select above.parent_id, 1 as level from branches above where above.id = ${id}
    union all
    select above.parent_id, level + 1 from upward join branches above on above.id = upward.parent_id)
  select max(level) from upward)`

export const branchColumns = [
  'branches.id',
  'branches.parent_id as parentId',
  'branches.name',
  'branches.code',
  'branches.address',
  'branches.phone',
  'branches.timezone',
  'branches.status',
  sql<number>`(
    select count(*) from branches children
    where children.company_id = branches.company_id and children.parent_id = branches.id)`.as('childCount'),
  'branches.created_at',
  'branches.updated_at',
] as const
