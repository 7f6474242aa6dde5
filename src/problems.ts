/**
 * Every refusal that the API can give: code → status and sentence. The code is what clients may rely on,
 * the sentence is for people. Nothing else ever leaves the service as an error.
 */
const problems = {
  validation_failed: [400, 'The request is not valid.'],
  malformed_json: [400, 'The body is not valid JSON.'],
  malformed_request: [400, 'The request could not be read.'],
  idempotency_key_malformed: [400, 'Idempotency-Key is one value of 1 to 255 visible ASCII characters.'],
  company_header_missing: [400, 'The header x-company-id must name a company by its UUID.'],
  cursor_invalid: [400, 'This cursor is not one that this list gave, with this filter.'],
  link_invalid: [400, 'This link is not valid, or it was used or replaced, or its time is over.'],

  token_missing: [401, 'Send an access token: Authorization: Bearer <token>.'],
  token_invalid: [401, 'The access token is not valid, or its time is over, or its session has ended.'],
  refresh_token_invalid: [401, 'The refresh token is not valid, or it was used, or its session has ended.'],
  credentials_wrong: [401, 'E-mail address or password is wrong.'],
  documentation_credentials_wrong: [401, 'The documentation needs its user and password.'],

  email_verification_required: [
    403,
    'An administrator has seen a password of this account. Reset the password by email first.',
  ],
  password_change_required: [403, 'A temporary password is in force: choose a password of your own first.'],
  not_a_member: [403, 'You are not an active member of this company.'],
  permission_missing: [403, 'Your roles in this company do not allow this.'],

  company_mismatch: [403, 'The company in the address is not the one of x-company-id.'],
  grant_exceeds_permissions: [403, 'A role would give more than you hold in this company yourself.'],
  target_exceeds_permissions: [403, 'This member or role holds more in this company than you do.'],
  owner_only: [403, 'Only an Owner of the company may do this.'],
  account_not_managed: [403, 'This account is not managed by you: its owner alone sets its password.'],

  route_not_found: [404, 'There is nothing at this address.'],
  company_not_found: [404, 'You have no such company.'],
  session_not_found: [404, 'You have no such session.'],
  member_not_found: [404, 'There is no such member in this company.'],
  role_not_found: [404, 'There is no such role in this company.'],
  account_not_found: [404, 'There is no such account.'],
  branch_not_found: [404, 'There is no such branch in this company.'],
  transfer_not_found: [404, 'There is no such offer of ownership.'],
  pending_email_not_found: [404, 'No change of your e-mail address is pending.'],

  email_taken: [409, 'An account with this e-mail address exists already.'],
  email_reserved: [
    409,
    'Another account had this email address less than 7 days ago and can still restore it. Try again later.',
  ],
  slug_taken: [409, 'This slug is in use.'],
  company_name_taken: [
    409,
    'A company with this name, or one that reads alike, exists: choose another name, or send a slug.',
  ],
  transfer_pending: [409, 'The ownership of this company is offered to somebody already.'],
  already_member: [409, 'This account is a member of the company already.'],
  branch_name_taken: [409, 'The company has a branch with this name already.'],
  branch_code_taken: [409, 'The company has a branch with this code already.'],
  role_name_taken: [409, 'The company has a role with this name, or one that reads alike.'],
  role_in_use: [409, 'Members hold this role: name another one for them by reassignTo.'],

  request_in_progress: [409, 'The request with this Idempotency-Key is still under way.'],
  idempotent_response_expired: [
    409,
    'This request was done, and its answer is no longer repeated. Send another key to do it again.',
  ],

  version_mismatch: [412, 'It was changed since you read it: read it again, then decide.'],

  body_too_large: [413, 'The body is larger than 102,400 bytes.'],
  body_not_json: [415, 'The body must be JSON: Content-Type: application/json.'],

  idempotency_key_reused: [422, 'This Idempotency-Key was sent before with another request.'],
  current_password_wrong: [422, 'The current password is wrong.'],
  password_unchanged: [422, 'The new password is the same as the old one.'],
  no_temporary_password: [422, 'No temporary password is in force.'],
  role_unknown: [422, 'A role that was named does not exist in this company.'],
  system_role: [422, 'Every company has this role as it is: it can not be changed or deleted.'],
  role_reassigned_to_itself: [422, 'Its members need another role than the one that is deleted.'],
  member_without_role: [422, 'A member has at least one role.'],
  last_owner: [422, 'A company keeps at least one active Owner.'],
  branch_unknown: [422, 'A branch that was named does not exist in this company.'],
  branch_inactive: [422, 'An inactive branch takes in no members and no branches.'],
  branch_cycle: [422, 'A branch can be neither below itself nor below a branch of its own.'],
  branch_too_deep: [422, 'The tree of branches has at most 8 levels.'],
  branch_limit_reached: [422, 'A company has at most 10,000 branches.'],
  branch_has_children: [422, 'There are branches below this one: move or delete them first.'],
  branch_has_members: [422, 'Members belong to this branch: place them elsewhere first.'],
  already_owner: [422, 'This member is an Owner already.'],
  transfer_expired: [
    422,
    'This offer no longer holds: its time is over, or one of the two is no longer what it takes.',
  ],
  slug_limit_reached: [422, 'The company gave up ten slugs within 90 days: wait before it takes another one.'],
  company_not_deleted: [422, 'This company is not deleted.'],

  rate_limited: [429, 'Too many requests. Wait before you try again.'],
  too_many_exports: [429, 'Two exports of yours are running already. Wait until one of them is done.'],
  email_limit_reached: [429, 'Too many emails were sent. Wait before you try again.'],
  too_many_attempts: [429, 'Too many failed attempts for this account. Wait before you try again.'],

  internal_error: [500, 'Something went wrong on our side.'],
  overloaded: [503, 'The service is busy. Try again in a moment.'],
  email_worker_stopped: [503, 'The worker that delivers letters has stopped.'],
  database_unavailable: [503, 'The service cannot reach its database. Try again in a moment.'],
} as const satisfies Record<string, readonly [number, string]>

export type ProblemCode = keyof typeof problems

/** What a problem may carry besides its code. */
export interface ProblemContext {
  /** One entry for each field that failed validation. */
  details?: { path: string; message: string }[]
  /** The permission that the caller lacks. */
  required?: string
  /** How many stand in the way. */
  count?: number
  /** How long to wait, in whole seconds: becomes the header `Retry-After`. */
  retryAfterSeconds?: number
  /** What the refused request was about, for the audit, where its address does not tell. */
  subject?: { type: 'account'; id: string; label: string }
  /** For the log only. */
  cause?: unknown
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly context: ProblemContext

  constructor(code: ProblemCode, context: ProblemContext = {}) {
    super(problems[code][1], { cause: context.cause })
    this.code = code
    this.context = context
  }

  get status(): number {
    return problems[this.code][0]
  }
}

/** `throw problem('last_owner')`. */
export function problem(code: ProblemCode, context?: ProblemContext): Problem {
  return new Problem(code, context)
}

export function statusOf(code: ProblemCode): number {
  return problems[code][0]
}

export function sentenceOf(code: ProblemCode): string {
  return problems[code][1]
}

export const problemCodes = Object.keys(problems) as ProblemCode[]
