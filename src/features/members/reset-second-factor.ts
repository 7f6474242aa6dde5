import type { CompanyActor } from '../../access/actors.ts'
import { findMembership } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import { enterCompany } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'
import { record, unseen } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { removeSecondFactors } from './managed-accounts.ts'
import { getMember } from './members.ts'
import { lockManaged } from './reset-authority.ts'
import type { Member } from './schemas.ts'

/**
 * For a member who has lost every second factor: removes them, and ends the sessions. A person who knows the password is in afterwards, in
 * every company of the account, so it needs what setting a password needs, and each of these companies records it.
 */
export async function resetSecondFactor(tx: Tx, actor: CompanyActor, userId: string): Promise<Member> {
  const { target, authorities } = await lockManaged(tx, actor, userId)

  const removed = await removeSecondFactors(tx, actor, target.id)
  if (removed.length === 0) throw problem('factor_not_found')
  const company = await getCompanyContext(tx)
  await enqueueEmail(tx, 'second_factor_reset', withCompanyLocale(target, company), { company: company.name })
  const changes = { factors: { from: removed } }
  for (const { company_id } of authorities) {
    await enterCompany(tx, company_id, actor.accountId)
    // The actor may do this there, too, but may not have opened that company.
    const isSeen = (await findMembership(tx, actor.accountId))?.is_opened === true
    await record(tx, isSeen ? actor : unseen(actor), 'users.reset_second_factor', memberSubject(target), changes)
  }
  await enterCompany(tx, actor.companyId, actor.accountId)
  return getMember(tx, target.id)
}
