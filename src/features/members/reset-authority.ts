import { sql } from 'kysely'
import type { AuditAction } from '../../access/actions.ts'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn, authorityOf, covers, type RoleGrant } from '../../access/authority.ts'
import { getMembership, type Membership } from '../../access/memberships.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { lockAccountOf } from './managed-accounts.ts'

/**
 * Locks the account of a member whom the actor may change, so that no other company changes what `listAuthorities` reads. Resolves to
 * what it is under the lock: the address may have changed meanwhile.
 */
export async function lockTarget(tx: Tx, actor: CompanyActor, userId: string): Promise<Membership> {
  const target = await getMembership(tx, userId)
  assertCanActOn(actor, target)
  await lockAccountOf(tx, actor, target.id)
  return getMembership(tx, target.id)
}

/**
 * The same for what only those may do who could take the account over. Refused before the lock, so that a company which has only
 * added the account does not keep it busy, and decided under it.
 */
export async function lockManaged(tx: Tx, actor: CompanyActor, userId: string): Promise<ManagedTarget> {
  await getManaged(tx, actor, await getMembership(tx, userId))
  return getManaged(tx, actor, await lockTarget(tx, actor, userId))
}

interface ManagedTarget {
  target: Membership
  authorities: ResetAuthority[]
}

async function getManaged(tx: Tx, actor: CompanyActor, target: Membership): Promise<ManagedTarget> {
  assertCanActOn(actor, target)
  const authorities = await listAuthorities(tx, actor, target.id)
  if (!canTakeOver(actor, target, authorities)) throw problem('account_not_managed')
  return { target, authorities }
}

/** What the account and the actor hold in one company of the account. */
export interface ResetAuthority {
  company_id: string
  created_it: boolean
  member_roles: RoleGrant[]
  /** Null: the actor has no access there. */
  own_permissions: Permission[] | null
  own_is_owner: boolean | null
}

export async function listAuthorities(
  tx: Tx,
  { sessionId, ip }: CompanyActor,
  accountId: string,
): Promise<ResetAuthority[]> {
  const { rows } = await sql<ResetAuthority>`
    select company_id, created_it, member_roles, own_permissions, own_is_owner
    from password_reset_authority(${accountId}, ${sessionId}, ${ip})`.execute(tx)
  return rows
}

/** All are looked at under the locks of the account and of the current company. See functions/password_reset_authority.sql. */
const COMPANIES_MAX = 50

/**
 * The current company created the account and still has it as a member, and the actor could change it in every company
 * that it belongs to, of which there are few. Never the actor’s own account: that would replace what opens it without knowing it.
 */
export function canTakeOver(actor: CompanyActor, target: Membership, authorities: ResetAuthority[]): boolean {
  const isManaged = authorities.some(({ created_it }) => created_it)
  const areFew = authorities.length <= COMPANIES_MAX
  return isManaged && areFew && target.id !== actor.accountId && authorities.every(coversThere)
}

function coversThere({ member_roles, own_permissions, own_is_owner }: ResetAuthority): boolean {
  const own = { permissions: new Set(own_permissions), isOwner: own_is_owner === true }
  return own.permissions.has('users:update') && covers(own, authorityOf(member_roles))
}

/** Who knows what opens an account is in afterwards, in each company of the account: each of them records what gave it away. */
export async function recordInAll(
  tx: Tx,
  actor: CompanyActor,
  authorities: ResetAuthority[],
  action: AuditAction,
  target: Membership,
  changes?: Changes,
): Promise<void> {
  const id = await record(tx, actor, action, memberSubject(target), changes)
  const copies = authorities.slice(1).map(() => newId())
  if (copies.length > 0) await sql`select copy_record_to_companies(${id}, ${target.id}, ${copies}::uuid[])`.execute(tx)
}
