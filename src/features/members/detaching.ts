import { sql } from 'kysely'
import { authorityOf, mayActOn } from '../../authority.ts'
import type { Member } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { count } from './members.ts'
import { isCountedOwner, keepAnOwner } from './owners.ts'
import { findStanding, lockCompany, lockedAuthority, memberSubject, type Standing, standingOf } from './standing.ts'

/** Ends a membership, of oneself too; the account lives on. */
export async function detachMember(tx: Tx, actor: Member, userId: string): Promise<{ id: string }> {
  const authority = await lockedAuthority(tx, actor, 'users:delete')
  const target = await standingOf(tx, userId)
  mayActOn(authority, authorityOf(target.roles))

  await endMembership(tx, actor, target, 'users.detach')
  return { id: target.id }
}

/** Needs no permission, no active status and no proof of the address: every member can go, but for the only Owner. */
export async function leaveCompany(tx: Tx, actor: Member): Promise<{ id: string }> {
  await lockCompany(tx, 'company_not_found')
  const own = await findStanding(tx, actor.accountId)
  if (!own) throw problem('company_not_found')

  await endMembership(tx, actor, own, 'users.leave')
  return { id: actor.companyId }
}

async function endMembership(tx: Tx, actor: Member, target: Standing, action: string): Promise<void> {
  if (isCountedOwner(target)) await keepAnOwner(tx, target.id)

  await sql`select lock_account_of_member(${target.id})`.execute(tx)
  await tx.deleteFrom('memberships').where('account_id', '=', target.id).execute()
  await record(tx, actor, action, memberSubject(target), {
    roles: { from: target.roles.map(({ name }) => name) },
  })
  await count(tx, target.status === 'active' ? { active: -1 } : { inactive: -1 })
}
