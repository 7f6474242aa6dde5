import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { branchColumns, depthOf, isBelow, isMatch, orderColumns } from './branches.ts'
import type { Branch, BranchQuery } from './schemas.ts'

/** A branch with the branches under it. Undefined: these are not included. */
export interface BranchTree extends Branch {
  children?: BranchTree[]
}

/** One response has as many whole levels as have at most this many branches together, or the first level alone. */
const BRANCHES_MAX = 1000

/**
 * The top-level branches, or those directly under one, each with the branches under it, to a depth that the response
 * allows. With a filter only matching branches and their parents are included.
 */
export async function listTrees(tx: Tx, query: BranchQuery): Promise<{ items: BranchTree[]; total: number }> {
  const { parentId: from = 'root' } = query
  const [rows, total] = await Promise.all([findShown(tx, query, from), countTops(tx, query, from)])
  return { items: nest(rows, from === 'root' ? null : from), total }
}

/**
 * One page of top-level branches and the levels under them that fit, in order, by one statement: a branch that is moved
 * meanwhile is shown where it was or where it is, never twice.
 */
async function findShown(tx: Tx, query: BranchQuery, from: string): Promise<ShownBranch[]> {
  const { page, limit } = query
  const below = isFiltered(query) ? sql.ref('shown') : sql.ref('branches')
  return tx
    .selectFrom(
      sql<{ id: string; depth: number; is_cut: boolean }>`(
        with recursive ${shown(query)} trees as (
          (select branches.id, ${depthOfTops(from)} as depth from branches where ${isTop(query, from)}
            order by ${orderColumns(query)} limit ${limit} offset ${(page - 1) * limit})
          union all
          select below.id, depth + 1 from trees join ${below} below on below.parent_id = trees.id),
        levels as (
          select depth, sum(count(*)) over (order by depth) as branches, min(depth) over () as first, max(depth) over () as last
          from trees group by depth)
        select id, depth, depth < last and not exists (
            select from levels below where below.depth = levels.depth + 1 and below.branches <= ${BRANCHES_MAX}) as is_cut
        from trees join levels using (depth) where depth = first or branches <= ${BRANCHES_MAX})`.as('trees'),
    )
    .innerJoin('branches', 'branches.id', 'trees.id')
    .select(branchColumns)
    .select(['trees.depth', 'trees.is_cut'])
    .orderBy(orderColumns(query))
    .execute()
}

/** `is_cut`: what is under the branches of its level did not fit. */
type ShownBranch = Branch & { is_cut: boolean }

const depthOfTops = (from: string) => (from === 'root' ? sql`1` : sql`${depthOf(sql`${from}`)} + 1`)

async function countTops(tx: Tx, query: BranchQuery, from: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    with recursive ${shown(query)} tops as (select from branches where ${isTop(query, from)})
    select count(*) as total from tops`.execute(tx)
  return rows[0]?.total ?? 0
}

const isFiltered = ({ search, status }: BranchQuery) => Boolean(search || status)

/** Matching branches and, level by level, their parents. */
const shown = (query: BranchQuery) =>
  isFiltered(query)
    ? sql`shown as (
        select branches.id, branches.parent_id from branches where ${isMatch(query)}
        union
        select above.id, above.parent_id from shown join branches above on above.id = shown.parent_id),`
    : sql``

const isTop = (query: BranchQuery, from: string) =>
  isFiltered(query) ? sql`${isBelow(from)} and branches.id in (select shown.id from shown)` : isBelow(from)

/**
 * Puts each branch among the children of its parent, in the given order. On a level that was cut, a branch with branches
 * under it has no `children`, because some may be missing.
 */
function nest(rows: ShownBranch[], top: string | null): BranchTree[] {
  const trees = rows.map(
    ({ is_cut, ...row }): BranchTree => (is_cut && row.childCount > 0 ? row : { ...row, children: [] }),
  )
  const byId = new Map(trees.map((tree) => [tree.id, tree]))
  for (const tree of trees) if (tree.parentId !== top) byId.get(tree.parentId as string)?.children?.push(tree)
  return trees.filter(({ parentId }) => parentId === top)
}
