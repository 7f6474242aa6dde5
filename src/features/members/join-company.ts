import { sql } from 'kysely'
import { authorityOf } from '../../access/authority.ts'
import type { Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { notifyOfNewOwner } from '../ownership/notify-owners-changed.ts'
import { branchChanges, type FoundBranches, setMemberBranches } from './member-branches.ts'
import { adjustMemberCounters } from './members.ts'
import { insertMembership } from './new-membership.ts'

interface Place {
  roles: Role[]
  branches: FoundBranches
  /** Who vouches for the roles. */
  addedBy: { id: string; name: string; email: string }
}

/**
 * Makes an account a member because its owner has agreed: the membership is opened at once, so it awaits nothing. The caller
 * has locked the company and the account, in this order, and made sure that no administrator has seen a password of the account.
 */
export async function joinCompany(
  tx: Tx,
  actor: AuditActor,
  config: Config,
  account: { id: string; email: string; name: string },
  { roles, branches, addedBy }: Place,
): Promise<void> {
  if (authorityOf(roles).isOwner) {
    const told = { person: account, by: addedBy, except: [account.id] }
    await notifyOfNewOwner(tx, config, { ...told, change: 'joined' })
  }
  await Promise.all([
    insertMembership(tx, account.id, roles, { added_by: addedBy.id, opened_at: sql<string>`now()` }),
    setMemberBranches(tx, account.id, branches),
    record(tx, actor, 'users.join', memberSubject(account), {
      roles: { to: roles.map(({ name }) => name) },
      ...branchChanges(branches),
    }),
    adjustMemberCounters(tx, { active: 1 }),
  ])
}
