import { type ProblemCode, problemCodes, statusOf } from '../../problems.ts'

/** What the outcome of a record is: `done`, or the code of the refusal. */
export type AuditOutcome = 'done' | ProblemCode

/** Refusals by a rule, a right or a version are recorded; bad input, unknown addresses and missing tokens are everyday noise. */
export const isAudited = (code: ProblemCode): boolean =>
  ([403, 409, 412, 422].includes(statusOf(code)) && code !== 'request_in_progress') || AUDITED_BESIDES.has(code)

const AUDITED_BESIDES = new Set<ProblemCode>(['credentials_wrong', 'too_many_attempts', 'link_invalid'])

/** The rule behind it records this one itself, and only where the token was used before. */
const RECORDED_BY_ITS_RULE: AuditOutcome = 'refresh_token_invalid'

export const auditOutcomes: readonly [AuditOutcome, ...AuditOutcome[]] = [
  'done',
  ...problemCodes.filter(isAudited),
  RECORDED_BY_ITS_RULE,
]
