import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn, assertCanGrant, authorityOf } from '../../access/authority.ts'
import { getMembership, type Membership } from '../../access/memberships.ts'
import { assertAnotherOwner, countsAsOwner } from '../../access/owners.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'
import { getBranchesFor, setMemberBranches } from './member-branches.ts'
import { adjustMemberCounters, getMember } from './members.ts'
import type { Member, MemberUpdate } from './schemas.ts'

/** Changes what this company stores about a member; the account stays as it is. */
export async function updateMember(tx: Tx, actor: CompanyActor, userId: string, wanted: MemberUpdate): Promise<Member> {
  const { roleIds, branchIds, status, ...details } = wanted
  const target = await getMembership(tx, userId)
  assertCanActOn(actor, target)
  const wantedRoles = roleIds?.length ? await findRolesById(tx, roleIds) : undefined
  const roles = wantedRoles?.roles
  assertCanGrant(actor, roles ?? [])
  if (roleIds?.length === 0) throw problem('member_without_role')
  if (wantedRoles?.isOneUnknown) throw problem('role_unknown')
  const branches = branchIds && (await getBranchesFor(tx, branchIds, target.id))
  if (losesOwner(target, roles, status)) await assertAnotherOwner(tx, target.id)

  const changes = {
    ...(await changeDetails(tx, target, { ...details, status })),
    ...(await changeRoles(tx, target, roles)),
    ...(branches && (await setMemberBranches(tx, target.id, branches))),
  }
  if (Object.keys(changes).length > 0) {
    await touch(tx, target.id)
    await record(tx, actor, 'users.update', memberSubject(target), changes)
  }
  if ('status' in changes || 'roles' in changes) await deleteInvalidTransfer(tx)
  if ('status' in changes)
    await adjustMemberCounters(tx, status === 'active' ? { active: 1, inactive: -1 } : { active: -1, inactive: 1 })
  return getMember(tx, target.id)
}

function losesOwner(target: Membership, roles: Role[] | undefined, status: MemberUpdate['status']): boolean {
  return countsAsOwner(target) && (status === 'inactive' || (roles !== undefined && !authorityOf(roles).isOwner))
}

async function changeDetails(
  tx: Tx,
  { id }: Membership,
  wanted: Omit<MemberUpdate, 'roleIds' | 'branchIds'>,
): Promise<Changes> {
  const now = await tx
    .selectFrom('memberships')
    .select(['status', 'phone', 'position', 'document_type', 'document_number'])
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  const changed = Object.entries(wanted).filter(
    ([name, to]) => to !== undefined && now[name as keyof typeof now] !== to,
  )
  if (changed.length === 0) return {}
  await tx.updateTable('memberships').set(Object.fromEntries(changed)).where('account_id', '=', id).execute()
  // A reader of the audit log need not be allowed to see documents.
  const shown = (name: string) => !name.startsWith('document_')
  return Object.fromEntries(
    changed.map(([name, to]) => [name, shown(name) ? { from: now[name as keyof typeof now], to } : {}]),
  )
}

/** Changes the ETag also for fields that the response does not show, such as documents. */
async function touch(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('memberships')
    .set({ updated_at: sql`clock_timestamp()` })
    .where('account_id', '=', accountId)
    .execute()
}

async function changeRoles(tx: Tx, target: Membership, roles: Role[] | undefined): Promise<Changes> {
  const names = (list: { name: string }[]) => list.map(({ name }) => name).sort()
  const held = new Set(target.roles.map(({ id }) => id))
  if (!roles || (roles.length === held.size && roles.every(({ id }) => held.has(id)))) return {}
  const ids = roles.map(({ id }) => id)
  // New roles first, so that the member is never without one.
  await tx
    .insertInto('membership_roles')
    .values(ids.map((role_id) => ({ account_id: target.id, role_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.deleteFrom('membership_roles').where('account_id', '=', target.id).where('role_id', 'not in', ids).execute()
  return { roles: { from: names(target.roles), to: names(roles) } }
}
