import type { Member } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { listMembers, type MemberQuery, type MemberView } from '../members/members.ts'
import { mayReadMembers } from './explaining.ts'
import { roleOf } from './roles.ts'

/** The members who hold a role, active or not, as the member list shows them. */
export async function listHolders(
  tx: Tx,
  actor: Member,
  roleId: string,
  query: Omit<MemberQuery, 'roleId'>,
): Promise<{ items: MemberView[]; total: number }> {
  mayReadMembers(actor)
  await roleOf(tx, roleId)
  return listMembers(tx, { ...query, roleId })
}
