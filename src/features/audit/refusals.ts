import type { Attempt, CompanyActor } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount, asAnyone, asAnyoneFrom, inCompany } from '../../database/scopes.ts'
import type { Problem } from '../../problems.ts'
import { isAudited } from './outcomes.ts'
import { recordRefusal } from './records.ts'
import type { Subject } from './subjects.ts'

/** Records a refused attempt, in a transaction of its own because that of the attempt was rolled back. */
export async function recordAttempt(database: Database, attempt: Attempt, refused: Problem): Promise<void> {
  if (!isAudited(refused.code)) return
  const { action, by } = attempt
  const subject = refused.context.subject ?? subjectOf(attempt)
  await recordRefusal(database.autocommit(scopeOf(by)), by, action, refused.code, subject)
}

/** What the path names, or else the company. For actors outside of the company the label has the company that they asked for. */
function subjectOf({ by, target, companyHeader }: Attempt): Subject {
  const companyId = companyOf(by)
  if (companyId) return { ...(target ?? { type: 'company', id: companyId }), label: '' }
  return { type: 'route', id: target?.id ?? '', label: companyHeader && `x-company-id: ${companyHeader}` }
}

/** The attempt of a member who has opened the company belongs to it, any other to the account alone. */
function scopeOf(by: Partial<CompanyActor>) {
  const { accountId, network } = by
  if (!accountId) return network ? asAnyoneFrom(network) : asAnyone
  const companyId = companyOf(by)
  return companyId ? inCompany(companyId, accountId) : asAccount(accountId)
}

const companyOf = ({ companyId, isUnseen }: Partial<CompanyActor>) => (isUnseen ? undefined : companyId)
