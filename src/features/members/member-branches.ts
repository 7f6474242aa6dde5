import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { Changes } from '../audit/records.ts'

export interface Branch {
  id: string
  name: string
}

interface FoundBranch extends Branch {
  status: 'active' | 'inactive'
}

/** The requested branches that the company has. */
export async function findBranches(tx: Tx, ids: readonly string[] = []): Promise<FoundBranch[]> {
  if (ids.length === 0) return []
  return tx
    .selectFrom('branches')
    .select(['id', 'name', 'status'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/** Throws unless the company has all requested branches and those that are new to the member are active. */
export function assertBranchesOpen(
  found: readonly FoundBranch[],
  ids: readonly string[] = [],
  held: ReadonlySet<string> = new Set(),
): Branch[] {
  if (found.length < new Set(ids).size) throw problem('branch_unknown')
  if (found.some(({ id, status }) => status === 'inactive' && !held.has(id))) throw problem('branch_inactive')
  return [...found]
}

/**
 * The requested branches. Those that are new to the member must be active. Under the company’s lock none of them is
 * deleted or deactivated before they are written.
 */
export async function getBranchesFor(tx: Tx, ids: readonly string[] = [], memberId?: string): Promise<Branch[]> {
  const found = await findBranches(tx, ids)
  const held = memberId && ids.length > 0 ? await branchesOf(tx, memberId) : []
  return assertBranchesOpen(found, ids, new Set(held.map(({ id }) => id)))
}

/** For a member who has no branches yet. */
export async function addMemberBranches(tx: Tx, memberId: string, branches: readonly Branch[]): Promise<void> {
  const ids = branches.map(({ id }) => id)
  await sql`
    insert into membership_branches (account_id, branch_id)
    select ${memberId}::uuid, branch_id from unnest(${ids}::uuid[]) as added (branch_id)`.execute(tx)
}

/** Replaces the branches of the member. */
export async function setMemberBranches(tx: Tx, memberId: string, branches: readonly Branch[]): Promise<Changes> {
  const names = (list: readonly Branch[]) => list.map(({ name }) => name).sort()
  const held = await branchesOf(tx, memberId)
  const heldIds = new Set(held.map(({ id }) => id))
  const wantedIds = new Set(branches.map(({ id }) => id))
  const added = [...wantedIds.difference(heldIds)]
  const left = [...heldIds.difference(wantedIds)]
  if (added.length + left.length === 0) return {}
  await sql`
    insert into membership_branches (account_id, branch_id)
    select ${memberId}::uuid, branch_id from unnest(${added}::uuid[]) as added (branch_id)`.execute(tx)
  await tx
    .deleteFrom('membership_branches')
    .where('account_id', '=', memberId)
    .where(sql<boolean>`branch_id = any(${left}::uuid[])`)
    .execute()
  return { branches: { from: names(held), to: names(branches) } }
}

async function branchesOf(tx: Tx, memberId: string): Promise<Branch[]> {
  return tx
    .selectFrom('membership_branches')
    .innerJoin('branches', 'branches.id', 'membership_branches.branch_id')
    .select(['branches.id', 'branches.name'])
    .where('membership_branches.account_id', '=', memberId)
    .execute()
}
