import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { Changes } from '../audit/records.ts'

export interface Branch {
  id: string
  name: string
}

/** The requested branches that the company has, and those of the member. */
export interface FoundBranches {
  branches: Branch[]
  /** Those that the member has now. */
  held: Branch[]
  isOneUnknown: boolean
  /** One of them is new to the member, but inactive. */
  isOneInactive: boolean
}

/**
 * Under the company’s lock none of the branches is deleted or deactivated before they are written. `memberId`: undefined for
 * an account that is not a member yet.
 */
export async function findBranchesFor(tx: Tx, ids: readonly string[] = [], memberId?: string): Promise<FoundBranches> {
  const [branches, held] = await Promise.all([findBranches(tx, ids), memberId ? branchesOf(tx, memberId) : []])
  const heldIds = new Set(held.map(({ id }) => id))
  return {
    branches,
    held,
    isOneUnknown: branches.length < new Set(ids).size,
    isOneInactive: branches.some(({ id, status }) => status === 'inactive' && !heldIds.has(id)),
  }
}

export function assertBranchesUsable({ isOneUnknown, isOneInactive }: FoundBranches): void {
  if (isOneUnknown) throw problem('branch_unknown')
  if (isOneInactive) throw problem('branch_inactive')
}

export function branchChanges({ held, branches }: FoundBranches): Changes {
  const { added, left } = differenceOf(held, branches)
  const names = (list: readonly Branch[]) => list.map(({ name }) => name).sort()
  return added.length + left.length === 0 ? {} : { branches: { from: names(held), to: names(branches) } }
}

/** Replaces the branches of the member. */
export async function setMemberBranches(tx: Tx, memberId: string, { held, branches }: FoundBranches): Promise<void> {
  const { added, left } = differenceOf(held, branches)
  const insert = sql`
    insert into membership_branches (account_id, branch_id)
    select ${memberId}::uuid, branch_id from unnest(${added}::uuid[]) as added (branch_id)`
  const remove = tx
    .deleteFrom('membership_branches')
    .where('account_id', '=', memberId)
    .where(sql<boolean>`branch_id = any(${left}::uuid[])`)
  await Promise.all([added.length > 0 && insert.execute(tx), left.length > 0 && remove.execute()])
}

function differenceOf(held: readonly Branch[], wanted: readonly Branch[]): { added: string[]; left: string[] } {
  const heldIds = new Set(held.map(({ id }) => id))
  const wantedIds = new Set(wanted.map(({ id }) => id))
  return { added: [...wantedIds.difference(heldIds)], left: [...heldIds.difference(wantedIds)] }
}

async function findBranches(tx: Tx, ids: readonly string[]) {
  if (ids.length === 0) return []
  return tx
    .selectFrom('branches')
    .select(['id', 'name', 'status'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

async function branchesOf(tx: Tx, memberId: string): Promise<Branch[]> {
  return tx
    .selectFrom('membership_branches')
    .innerJoin('branches', 'branches.id', 'membership_branches.branch_id')
    .select(['branches.id', 'branches.name'])
    .where('membership_branches.account_id', '=', memberId)
    .execute()
}
