import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { type Authority, assertCanActOn, assertCanGrant, authorityOf } from '../../access/authority.ts'
import { assertCanEntrust, assertFresh, WITH_FACTOR } from '../../access/freshness.ts'
import { getMembership, type Membership } from '../../access/memberships.ts'
import { assertAnotherCanPass, assertAnotherOwner, countsAsOwner } from '../../access/owners.ts'
import { findRolesById, type Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { notifyOfLostOwner, notifyOfNewOwner } from '../ownership/notify-owners-changed.ts'
import { deleteInvalidTransfer } from '../ownership/transfers.ts'
import { assertBranchesUsable, branchChanges, findBranchesFor, setMemberBranches } from './member-branches.ts'
import { adjustMemberCounters, getMember } from './members.ts'
import type { Member, MemberUpdate } from './schemas.ts'

/** Changes what this company stores about a member; the account stays as it is. */
export async function updateMember(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  userId: string,
  wanted: MemberUpdate,
): Promise<Member> {
  const { roleIds, branchIds, ...details } = wanted
  const [target, [stored], wantedRoles, branches] = await Promise.all([
    getMembership(tx, userId),
    findDetails(tx, userId),
    roleIds?.length ? findRolesById(tx, roleIds) : undefined,
    branchIds && findBranchesFor(tx, branchIds, userId),
    // One that a second factor keeps from being accepted would be valid again without the role that asks for it.
    (roleIds || details.status) && deleteInvalidTransfer(tx),
  ])
  assertCanActOn(actor, target)
  const roles = wantedRoles?.roles
  assertCanGrant(actor, roles ?? [])
  if (roleIds?.length === 0) throw problem('member_without_role')
  if (wantedRoles?.isOneUnknown) throw problem('role_unknown')
  if (branches) assertBranchesUsable(branches)
  const ownerChange = ownerChangeOf(target, roles, details.status)
  // As for leaving: who takes something from the own account does not get it back alone.
  if (ownerChange || (target.id === actor.accountId && changesAccess(target, roles, details.status)))
    await assertFresh(tx, actor, WITH_FACTOR)
  else if (roles || details.status) await assertCanEntrust(tx, actor, ...gainOf(target, roles, details.status))
  if (losesOwner(target, roles, details.status)) await assertAnotherOwner(tx, target.id)
  // Another role may need a second factor that the owner lacks.
  else if (roles && countsAsOwner(target)) await assertAnotherCanPass(tx, target.id, { id: target.id, roles })

  const changedDetails = stored ? changedIn(stored, details) : {}
  const changes: Changes = {
    ...shownDetails(stored, changedDetails),
    ...roleChanges(target, roles),
    ...(branches && branchChanges(branches)),
  }
  if (Object.keys(changes).length === 0) return getMember(tx, target.id)
  if (ownerChange) await notifyOwners(tx, actor, config, target, ownerChange)
  // Sent together, in this order.
  const written = await Promise.all([
    setDetails(tx, target, changedDetails),
    changes.roles && setRoles(tx, target, roles as Role[]),
    branches && setMemberBranches(tx, target.id, branches),
    record(tx, actor, 'users.update', memberSubject(target), changes),
    (changes.status || changes.roles) && deleteInvalidTransfer(tx),
    changes.status && adjustMemberCounters(tx, countersAfter(details.status)),
    getMember(tx, target.id),
  ])
  return written.at(-1) as Member
}

/** Also of one who does not count as an owner yet, or no longer. */
function ownerChangeOf(target: Membership, roles: Role[] | undefined, status: MemberUpdate['status']) {
  const isOwner = roles ? authorityOf(roles).isOwner : target.isOwner
  if (isOwner !== target.isOwner) return isOwner ? 'made' : 'demoted'
  if (!isOwner || status === undefined || status === target.status) return undefined
  return status === 'active' ? 'reactivated' : 'deactivated'
}

async function notifyOwners(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  target: Membership,
  change: NonNullable<ReturnType<typeof ownerChangeOf>>,
): Promise<void> {
  const told = { person: target, by: actor }
  if (change === 'made' || change === 'reactivated') await notifyOfNewOwner(tx, config, { ...told, change })
  else await notifyOfLostOwner(tx, actor, config, target, change)
}

const changesAccess = (target: Membership, roles: Role[] | undefined, status: MemberUpdate['status']) =>
  Object.keys(roleChanges(target, roles)).length > 0 || (status !== undefined && status !== target.status)

/** What the member has then, and what it has now; an inactive one that becomes active has nothing now. */
function gainOf(
  target: Membership,
  roles: Role[] | undefined,
  status: MemberUpdate['status'],
): [next: Authority, held?: Authority] {
  const next = roles ? authorityOf(roles) : target
  const isActivated = status === 'active' && target.status !== 'active'
  return isActivated ? [next] : [next, target]
}

function losesOwner(target: Membership, roles: Role[] | undefined, status: MemberUpdate['status']): boolean {
  return countsAsOwner(target) && (status === 'inactive' || (roles !== undefined && !authorityOf(roles).isOwner))
}

type Details = Omit<MemberUpdate, 'roleIds' | 'branchIds'>

const findDetails = statement<Details, [accountId: string]>(`
  select status, phone, position, document_type, document_number from memberships where account_id = $1`)

const changedIn = (stored: Details, wanted: Details): Details =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, to]) => to !== undefined && stored[name as keyof Details] !== to),
  )

/** A reader of the audit log need not be allowed to see documents. */
function shownDetails(stored: Details | undefined, changed: Details): Changes {
  const shown = (name: string) => !name.startsWith('document_')
  return Object.fromEntries(
    Object.entries(changed).map(([name, to]) => [
      name,
      shown(name) ? { from: stored?.[name as keyof Details], to } : {},
    ]),
  )
}

/** The time of the change makes another ETag, also for what the response does not show, such as documents. */
async function setDetails(tx: Tx, { id }: Membership, changed: Details): Promise<void> {
  await tx
    .updateTable('memberships')
    .set({ ...(changed as object), updated_at: sql`clock_timestamp()` })
    .where('account_id', '=', id)
    .execute()
}

function roleChanges(target: Membership, roles: Role[] | undefined): Changes {
  const names = (list: { name: string }[]) => list.map(({ name }) => name).sort()
  const held = new Set(target.roles.map(({ id }) => id))
  if (!roles || (roles.length === held.size && roles.every(({ id }) => held.has(id)))) return {}
  return { roles: { from: names(target.roles), to: names(roles) } }
}

async function setRoles(tx: Tx, { id }: Membership, roles: Role[]): Promise<void> {
  const ids = roles.map((role) => role.id)
  // New roles first, so that the member is never without one.
  await Promise.all([
    tx
      .insertInto('membership_roles')
      .values(ids.map((role_id) => ({ account_id: id, role_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
    tx.deleteFrom('membership_roles').where('account_id', '=', id).where('role_id', 'not in', ids).execute(),
  ])
}

const countersAfter = (status: MemberUpdate['status']) =>
  status === 'active' ? { active: 1, inactive: -1 } : { active: -1, inactive: 1 }
