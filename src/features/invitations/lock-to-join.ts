import type { Actor } from '../../access/actors.ts'
import { findMembership, lockCompanyToJoin, type Membership } from '../../access/memberships.ts'
import { retryWhenLocked } from '../../database/lock-wait.ts'
import type { Tx } from '../../database/open.ts'
import { enterCompany } from '../../database/scopes.ts'
import { type JoiningAccount, lockAccountToJoin } from '../accounts/accounts.ts'

interface LockedToJoin<Found> {
  /** False: the company is deleted or suspended. */
  isOpen: boolean
  account: JoiningAccount
  /** Undefined: the account is no member yet. */
  membership: Membership | undefined
  found: Found
}

/**
 * Locks the company and then the account, and reads what decides. Sent together: each statement sees what was committed while
 * those before it waited. The transaction acts in the company afterwards.
 */
export async function lockToJoin<Found>(
  tx: Tx,
  actor: Actor,
  companyId: string,
  read: () => Promise<Found>,
): Promise<LockedToJoin<Found>> {
  const enter = () => enterCompany(tx, companyId, actor.accountId)
  const [, isOpen, account, , membership, found] = await Promise.all([
    enter(),
    lockCompanyToJoin(tx),
    lockAccountToJoin(tx, actor),
    enter(),
    findMembership(tx, actor.accountId),
    read(),
  ]).catch(retryWhenLocked)
  return { isOpen, account, membership, found }
}
