import { authorityOf, mayActOn } from '../../authority.ts'
import type { Member } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { record } from '../audit/records.ts'
import { count } from './members.ts'
import { keepAnOwner } from './owners.ts'
import { lockedAuthority, memberSubject, standingOf } from './standing.ts'

/** Ends a membership, of oneself too; the account lives on. */
export async function detachMember(tx: Tx, actor: Member, userId: string): Promise<{ id: string }> {
  const authority = await lockedAuthority(tx, actor, 'users:delete')
  const target = await standingOf(tx, userId)
  const held = authorityOf(target.roles)
  mayActOn(authority, held)
  if (held.isOwner && target.status === 'active') await keepAnOwner(tx, target.id)

  await tx.deleteFrom('memberships').where('account_id', '=', target.id).execute()
  await record(tx, actor, 'users.detach', memberSubject(target), {
    roles: { from: target.roles.map(({ name }) => name) },
  })
  await count(tx, target.status === 'active' ? { active: -1 } : { inactive: -1 })
  return { id: target.id }
}
