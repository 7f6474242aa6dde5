import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

const DEPTH_MAX = 8

/** A branch as the rules of the tree see it. All of them need the company's lock, which whoever changes the tree takes. */
export interface Place {
  id: string
  name: string
  parent_id: string | null
  depth: number
  status: 'active' | 'inactive'
}

export const findPlace = (tx: Tx, id: string): Promise<Place | undefined> =>
  tx
    .selectFrom('branches')
    .select(['id', 'name', 'parent_id', 'depth', 'status'])
    .where('id', '=', id)
    .executeTakeFirst()

/** The branch under which a new one is to stand; undefined: at the top. */
export async function parentFor(tx: Tx, parentId: string | null | undefined): Promise<Place | undefined> {
  if (!parentId) return undefined
  const parent = await findPlace(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  takeIn(parent, 1)
  return parent
}

/** The branch under which this one is to move, with all below it; undefined: to the top. */
export async function newParentFor(tx: Tx, branch: Place, parentId: string | null): Promise<Place | undefined> {
  if (!parentId) return undefined
  const parent = await findPlace(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  const { levels, contains } = await measure(tx, branch, parent)
  if (contains) throw problem('branch_cycle')
  takeIn(parent, levels)
  return parent
}

/** How many levels a branch has with all below it, and whether the other one is among them. */
async function measure(tx: Tx, branch: Place, other: Place): Promise<{ levels: number; contains: boolean }> {
  const { rows } = await sql<{ levels: number; contains: boolean }>`
    with recursive moved as (${withAllBelow(branch)})
    select max(moved.depth) - ${branch.depth}::int + 1 as levels, bool_or(moved.id = ${other.id}) as contains
    from moved`.execute(tx)
  return rows[0] as { levels: number; contains: boolean }
}

function takeIn(parent: Place, levels: number): void {
  if (parent.status === 'inactive') throw problem('branch_inactive')
  if (parent.depth + levels > DEPTH_MAX) throw problem('branch_too_deep')
}

/** Puts the branch below the parent; all below it comes along, in the same statement, because each row knows its depth. */
export async function move(tx: Tx, branch: Place, parent: Place | undefined): Promise<void> {
  const by = (parent?.depth ?? 0) + 1 - branch.depth
  await sql`
    with recursive moved as (${withAllBelow(branch)})
    update branches
    set parent_id = case when branches.id = ${branch.id} then ${parent?.id ?? null} else branches.parent_id end,
      updated_at = case when branches.id = ${branch.id} then now() else branches.updated_at end,
      depth = branches.depth + ${by}::int, parent_depth = branches.parent_depth + ${by}::int
    from moved where moved.id = branches.id`.execute(tx)
}

const withAllBelow = ({ id }: Place) => sql`
  select branches.id, branches.depth from branches where branches.id = ${id}
  union all
  select below.id, below.depth from moved join branches below on below.parent_id = moved.id`
