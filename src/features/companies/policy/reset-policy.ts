import { inCompany } from '../../../database/scopes.ts'
import type { Deps } from '../../../deps.ts'
import { type AuditActor, record } from '../../audit/records.ts'
import { companySubject } from '../../audit/subjects.ts'
import { companyParams } from '../../mail/outbox/company-context.ts'
import { notifyOwners } from '../../members/notify-owners.ts'
import { lockCompany } from '../suspend-company.ts'
import { changesBetween } from './edit-policy.ts'
import { columnsOf, getPolicy } from './policy.ts'
import type { Policy } from './schemas.ts'
import { storePolicy } from './store-policy.ts'

const NO_POLICY: Policy = {
  secondFactor: { required: 'nobody', roleIds: [], from: null },
  sessions: { maxAgeHours: null, idleMinutes: null, stepUpMinutes: null },
  networks: { allow: [] },
  members: { domains: [], appliesTo: 'invitations' },
  passwords: { minLength: 8, refuseCommon: false },
}

/** For an operator: the way out for a company that no owner can open any more. False: it had no policy. */
export async function resetPolicy(
  { config, database }: Pick<Deps, 'config' | 'database'>,
  operator: AuditActor,
  companyId: string,
  reason: string | undefined,
): Promise<boolean> {
  return database.write(inCompany(companyId, ''), async (tx) => {
    const company = await lockCompany(tx, companyId)
    const changes = changesBetween(await getPolicy(tx), NO_POLICY)
    if (Object.keys(changes).length === 0) return false

    await storePolicy(tx, columnsOf(NO_POLICY, []), { remindsAnew: true })
    if (!company.isDeleted) await notifyOwners(tx, config, 'policy_reset', company, companyParams(company))
    await record(tx, operator, 'policy.reset', companySubject(company), {
      ...changes,
      ...(reason !== undefined && { reason: { to: reason } }),
    })
    return true
  })
}
