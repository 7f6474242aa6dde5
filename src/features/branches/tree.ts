import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

/**
 * A branch as the rules of the tree see it. They all need the company’s lock, which every writer of the tree has. Only
 * the database knows how deep a tree is, and refuses a ninth level when a branch is written.
 */
export interface TreeNode {
  id: string
  name: string
  parent_id: string | null
  status: 'active' | 'inactive'
}

export const findTreeNode = (tx: Tx, id: string): Promise<TreeNode | undefined> =>
  tx.selectFrom('branches').select(['id', 'name', 'parent_id', 'status']).where('id', '=', id).executeTakeFirst()

/** The parent of a new branch; undefined: it is a top-level branch. */
export async function getParent(tx: Tx, parentId: string | null | undefined): Promise<TreeNode | undefined> {
  if (!parentId) return undefined
  const parent = await findTreeNode(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  assertTakesIn(parent)
  return parent
}

/** The new parent of this branch; undefined: it becomes a top-level branch. */
export async function getNewParent(tx: Tx, branch: TreeNode, parentId: string | null): Promise<TreeNode | undefined> {
  if (!parentId) return undefined
  const parent = await findTreeNode(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  if (await isAtOrBelow(tx, parent, branch)) throw problem('branch_cycle')
  assertTakesIn(parent)
  return parent
}

/** Looks up from the new parent, at most eight levels; looking down could mean the whole company. */
async function isAtOrBelow(tx: Tx, branch: TreeNode, other: TreeNode): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with recursive upward as (
      select branches.id, branches.parent_id from branches where branches.id = ${branch.id}
      union all
      select above.id, above.parent_id from upward join branches above on above.id = upward.parent_id)
    select exists (select from upward where upward.id = ${other.id}) as found`.execute(tx)
  return rows[0]?.found === true
}

function assertTakesIn(parent: TreeNode): void {
  if (parent.status === 'inactive') throw problem('branch_inactive')
}

/** Moves the branch. Everything under it comes along, because a branch knows its parent and nothing else. */
export async function move(tx: Tx, branch: TreeNode, parent: TreeNode | undefined): Promise<void> {
  await tx
    .updateTable('branches')
    .set({ parent_id: parent?.id ?? null, updated_at: sql`now()` })
    .where('id', '=', branch.id)
    .execute()
}
