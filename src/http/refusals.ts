import type { FastifyRequest } from 'fastify'
import type { Member } from '../callers.ts'
import type { Database } from '../database/open.ts'
import { asAccount, asAnyone, inCompany } from '../database/tenancy.ts'
import { type Doer, recordRefusal, type Subject } from '../features/audit/records.ts'
import type { Problem, ProblemCode } from '../problems.ts'
import { callerOf, printable } from './callers.ts'

/** Refusals by a rule or a right; bad input, unknown addresses and missing tokens are everyday noise. */
const isForTheAudit = ({ code, status }: Problem) => [403, 409, 422].includes(status) || TOLD_APART.has(code)
const TOLD_APART = new Set<ProblemCode>(['credentials_wrong', 'too_many_attempts', 'link_invalid'])

/** Writes refused attempts into the audit, in a transaction of its own: the one of the attempt was rolled back. */
export function createRefusalRecorder(database: Database) {
  return async (request: FastifyRequest, refused: Problem): Promise<void> => {
    const { action } = request.routeOptions.config
    if (!action || !isForTheAudit(refused)) return
    const actor = request.actor
    const doer: Doer = actor ?? callerOf(request)
    await recordRefusal(database.autocommit(scopeOf(actor)), doer, action, refused.code, subjectOf(request, refused))
  }
}

/** Only a member's attempt is the company's business; a stranger's is the stranger's own. */
function scopeOf(actor: FastifyRequest['actor']) {
  if (!actor) return asAnyone
  const { companyId } = actor as Partial<Member>
  return companyId ? inCompany(companyId, actor.accountId) : asAccount(actor.accountId)
}

function subjectOf(request: FastifyRequest, { context }: Problem): Subject {
  if (context.subject) return context.subject
  const ids = Object.values((request.params ?? {}) as Record<string, string>)
  const company = request.headers['x-company-id']
  return {
    type: 'route',
    id: printable(ids.at(-1) ?? '')
      .slice(0, 64)
      .toLowerCase(),
    label: typeof company === 'string' ? `x-company-id: ${printable(company).slice(0, 64)}` : '',
  }
}
