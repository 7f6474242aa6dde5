import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'

/**
 * A branch as the rules of the tree see it. All of them need the company's lock, which whoever changes the tree takes. How
 * deep a tree gets is known to the database alone, which refuses a ninth level when a branch is written.
 */
export interface Place {
  id: string
  name: string
  parent_id: string | null
  status: 'active' | 'inactive'
}

export const findPlace = (tx: Tx, id: string): Promise<Place | undefined> =>
  tx.selectFrom('branches').select(['id', 'name', 'parent_id', 'status']).where('id', '=', id).executeTakeFirst()

/** The branch under which a new one is to stand; undefined: at the top. */
export async function parentFor(tx: Tx, parentId: string | null | undefined): Promise<Place | undefined> {
  if (!parentId) return undefined
  const parent = await findPlace(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  assertTakesIn(parent)
  return parent
}

/** The branch under which this one is to move, with all below it; undefined: to the top. */
export async function newParentFor(tx: Tx, branch: Place, parentId: string | null): Promise<Place | undefined> {
  if (!parentId) return undefined
  const parent = await findPlace(tx, parentId)
  if (!parent) throw problem('branch_unknown')
  if (await isAtOrBelow(tx, parent, branch)) throw problem('branch_cycle')
  assertTakesIn(parent)
  return parent
}

/** Looks upward, where there are eight branches at most; what is below one can be the whole company. */
async function isAtOrBelow(tx: Tx, branch: Place, other: Place): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with recursive upward as (
      select branches.id, branches.parent_id from branches where branches.id = ${branch.id}
      union all
      select above.id, above.parent_id from upward join branches above on above.id = upward.parent_id)
    select exists (select from upward where upward.id = ${other.id}) as found`.execute(tx)
  return rows[0]?.found === true
}

function assertTakesIn(parent: Place): void {
  if (parent.status === 'inactive') throw problem('branch_inactive')
}

/** Puts the branch below the parent; all below it comes along, because each branch knows its parent and nothing else. */
export async function move(tx: Tx, branch: Place, parent: Place | undefined): Promise<void> {
  await tx
    .updateTable('branches')
    .set({ parent_id: parent?.id ?? null, updated_at: sql`now()` })
    .where('id', '=', branch.id)
    .execute()
}
