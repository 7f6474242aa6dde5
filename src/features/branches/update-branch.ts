import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { branchSubject } from '../audit/subjects.ts'
import { getBranch } from './branches.ts'
import { assertNamesAvailable, codeColumns, nameColumns } from './names.ts'
import type { Branch, BranchUpdate } from './schemas.ts'
import { findTreeNode, getNewParent, move, type TreeNode } from './tree.ts'

/** Changes fields of a branch, and its parent; everything under it comes along. */
export async function updateBranch(tx: Tx, actor: CompanyActor, id: string, wanted: BranchUpdate): Promise<Branch> {
  const { parentId, ...details } = wanted
  const branch = await findTreeNode(tx, id)
  if (!branch) throw problem('branch_not_found')
  await assertNamesAvailable(tx, details, branch.id)
  const moves = parentId !== undefined && parentId !== branch.parent_id
  const parent = moves ? await getNewParent(tx, branch, parentId) : undefined

  const changes = {
    ...(await changeDetails(tx, branch, details)),
    ...(moves ? await changeParent(tx, branch, parent) : {}),
  }
  if (Object.keys(changes).length > 0) await record(tx, actor, 'branches.update', branchSubject(branch), changes)
  return getBranch(tx, branch.id)
}

async function changeDetails(tx: Tx, { id }: TreeNode, wanted: Omit<BranchUpdate, 'parentId'>): Promise<Changes> {
  const now = await tx
    .selectFrom('branches')
    .select(['name', 'code', 'address', 'phone', 'timezone', 'status'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const changed = Object.entries(wanted).filter(
    ([field, to]) => to !== undefined && now[field as keyof typeof now] !== to,
  )
  if (changed.length === 0) return {}
  const to = Object.fromEntries(changed)
  await tx
    .updateTable('branches')
    .set({
      ...to,
      ...(to.name !== undefined && nameColumns(to.name)),
      ...(to.code !== undefined && codeColumns(to.code)),
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute()
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: now[field as keyof typeof now], to }]))
}

async function changeParent(tx: Tx, branch: TreeNode, parent: TreeNode | undefined): Promise<Changes> {
  const before = branch.parent_id ? await findTreeNode(tx, branch.parent_id) : undefined
  await move(tx, branch, parent)
  return { parent: { from: before?.name ?? null, to: parent?.name ?? null } }
}
