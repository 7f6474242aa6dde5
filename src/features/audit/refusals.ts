import type { Attempt, CompanyActor } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount, asAnyone, inCompany } from '../../database/scopes.ts'
import type { Problem } from '../../problems.ts'
import { isAudited } from './outcomes.ts'
import { recordRefusal } from './records.ts'
import type { Subject } from './subjects.ts'

/** Writes a refused attempt into the audit, in a transaction of its own: the one of the attempt was rolled back. */
export async function recordAttempt(database: Database, attempt: Attempt, refused: Problem): Promise<void> {
  if (!isAudited(refused.code)) return
  const { action, by } = attempt
  const subject = refused.context.subject ?? subjectOf(attempt)
  await recordRefusal(database.autocommit(scopeOf(by)), by, action, refused.code, subject)
}

/** What the address names, or the company at large. A stranger's record tells which company was knocked at. */
function subjectOf({ by, target, companyHeader }: Attempt): Subject {
  const { companyId } = by as Partial<CompanyActor>
  if (companyId) return { ...(target ?? { type: 'company', id: companyId }), label: '' }
  return { type: 'route', id: target?.id ?? '', label: companyHeader && `x-company-id: ${companyHeader}` }
}

/** Only a member's attempt is the company's business; a stranger's is the stranger's own. */
function scopeOf({ accountId, companyId }: Partial<CompanyActor>) {
  if (!accountId) return asAnyone
  return companyId ? inCompany(companyId, accountId) : asAccount(accountId)
}
