import type { Attempt, CompanyActor } from '../../access/actors.ts'
import type { Database } from '../../database/open.ts'
import { asAccount, asAnyone, inCompany } from '../../database/scopes.ts'
import type { Problem, ProblemCode } from '../../problems.ts'
import { recordRefusal } from './records.ts'
import type { Subject } from './subjects.ts'

/** Refusals by a rule, a right or a version; bad input, unknown addresses and missing tokens are everyday noise. */
const isForTheAudit = ({ code, status }: Problem) =>
  ([403, 409, 412, 422].includes(status) && code !== 'request_in_progress') || TOLD_APART.has(code)
const TOLD_APART = new Set<ProblemCode>(['credentials_wrong', 'too_many_attempts', 'link_invalid'])

/** Writes a refused attempt into the audit, in a transaction of its own: the one of the attempt was rolled back. */
export async function recordAttempt(database: Database, attempt: Attempt, refused: Problem): Promise<void> {
  if (!isForTheAudit(refused)) return
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
