import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { branchSubject } from '../audit/subjects.ts'

/** Deletes a branch without children and members. Foreign keys refuse any other. */
export async function deleteBranch(tx: Tx, actor: CompanyActor, id: string): Promise<{ id: string }> {
  const branch = await tx.deleteFrom('branches').where('id', '=', id).returning(['id', 'name']).executeTakeFirst()
  if (!branch) throw problem('branch_not_found')
  await record(tx, actor, 'branches.delete', branchSubject(branch))
  return { id: branch.id }
}
