import { type ProblemCode, problemCodes, statusOf } from '../../problems.ts'

/** `done`, or the code of the refusal. */
export type AuditOutcome = 'done' | ProblemCode

/**
 * Refusals because of a rule, a missing permission or an outdated version are recorded. Invalid input, unknown paths and
 * missing tokens are not: they are too frequent and tell nothing.
 */
export const isAudited = (code: ProblemCode): boolean =>
  ([403, 409, 412, 422].includes(statusOf(code)) && code !== 'request_in_progress') || ALSO_AUDITED.has(code)

const ALSO_AUDITED = new Set<ProblemCode>([
  'credentials_wrong',
  'second_factor_required',
  'second_factor_wrong',
  'too_many_attempts',
  'link_invalid',
])

/** Recorded by the rule itself, and only when the token was used before. */
const RECORDED_BY_RULE: AuditOutcome = 'refresh_token_invalid'

export const auditOutcomes: readonly [AuditOutcome, ...AuditOutcome[]] = [
  'done',
  ...problemCodes.filter(isAudited),
  RECORDED_BY_RULE,
]
