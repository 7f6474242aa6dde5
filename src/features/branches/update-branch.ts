import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { branchSubject } from '../audit/subjects.ts'
import { getBranch } from './branches.ts'
import { assertNamesAvailable, codeColumns, nameColumns } from './names.ts'
import type { Branch, BranchUpdate } from './schemas.ts'
import { findPlace, move, newParentFor, type Place } from './tree.ts'

/** Changes what is said of a branch, and where it stands; what is below it comes along. */
export async function updateBranch(tx: Tx, actor: CompanyActor, id: string, wanted: BranchUpdate): Promise<Branch> {
  const { parentId, ...details } = wanted
  const branch = await findPlace(tx, id)
  if (!branch) throw problem('branch_not_found')
  await assertNamesAvailable(tx, details, branch.id)
  const moves = parentId !== undefined && parentId !== branch.parent_id
  const parent = moves ? await newParentFor(tx, branch, parentId) : undefined

  const changes = {
    ...(await changeDetails(tx, branch, details)),
    ...(moves ? await changePlace(tx, branch, parent) : {}),
  }
  if (Object.keys(changes).length > 0) await record(tx, actor, 'branches.update', branchSubject(branch), changes)
  return getBranch(tx, branch.id)
}

async function changeDetails(tx: Tx, { id }: Place, wanted: Omit<BranchUpdate, 'parentId'>): Promise<Changes> {
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

async function changePlace(tx: Tx, branch: Place, parent: Place | undefined): Promise<Changes> {
  const before = branch.parent_id ? await findPlace(tx, branch.parent_id) : undefined
  await move(tx, branch, parent)
  return { parent: { from: before?.name ?? null, to: parent?.name ?? null } }
}
