import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { removeSecondFactors } from './managed-accounts.ts'
import { getMember } from './members.ts'
import { lockManaged, recordInAll } from './reset-authority.ts'
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
  await recordInAll(tx, actor, authorities, 'users.reset_second_factor', target, { factors: { from: removed } })
  return getMember(tx, target.id)
}
