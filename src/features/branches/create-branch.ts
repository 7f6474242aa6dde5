import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { branchSubject } from '../audit/subjects.ts'
import { getBranch } from './branches.ts'
import { assertNamesAvailable, codeColumns, nameColumns } from './names.ts'
import type { Branch, NewBranch } from './schemas.ts'
import { getParent } from './tree.ts'

/** Bounded, so that a list or tree can be counted, sorted and sent as a whole. */
const BRANCHES_MAX = 10_000

export async function createBranch(tx: Tx, actor: CompanyActor, wanted: NewBranch): Promise<Branch> {
  const { name, code = '', parentId, ...details } = wanted
  await assertNamesAvailable(tx, { name, code })
  const parent = await getParent(tx, parentId)
  await assertBelowLimit(tx)

  const branch = { id: newId(), name }
  await tx
    .insertInto('branches')
    .values({
      id: branch.id,
      ...nameColumns(name),
      ...codeColumns(code),
      ...details,
      parent_id: parent?.id ?? null,
    })
    .execute()
  const written = Object.entries({ ...details, code, parent: parent?.name }).filter(([, to]) => to)
  await record(
    tx,
    actor,
    'branches.create',
    branchSubject(branch),
    Object.fromEntries(written.map(([field, to]) => [field, { to }])),
  )
  return getBranch(tx, branch.id)
}

async function assertBelowLimit(tx: Tx): Promise<void> {
  const { branches } = await tx
    .selectFrom('branches')
    .select((count) => count.fn.countAll<number>().as('branches'))
    .executeTakeFirstOrThrow()
  if (branches >= BRANCHES_MAX) throw problem('branch_limit_reached')
}
