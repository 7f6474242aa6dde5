import type { PasskeyRequestOptions } from './lib/passkey-requests.ts'

/**
 * Every refusal that the API can give: code → status and sentence. The code is what clients may rely on, the sentence is
 * for people. Nothing else leaves the service as an error.
 */
const problems = {
  validation_failed: [400, 'Some fields are invalid. See details.'],
  malformed_json: [400, 'The request body isn’t valid JSON.'],
  malformed_request: [400, 'The request couldn’t be read.'],
  idempotency_key_malformed: [400, 'Idempotency-Key must be a single value of 1 to 255 visible ASCII characters.'],
  company_header_missing: [400, 'Set the x-company-id header to the ID of a company.'],
  cursor_invalid: [400, 'This cursor is invalid for this list or these filters. Start again without a cursor.'],
  link_invalid: [400, 'This link is invalid, expired, or already used. Request a new one.'],

  token_missing: [401, 'Missing access token. Send the header Authorization: Bearer <token>.'],
  token_invalid: [
    401,
    'The access token is invalid or expired, or its session has ended. Refresh it or sign in again.',
  ],
  refresh_token_invalid: [
    401,
    'The refresh token is invalid or already used, or its session has ended. Sign in again.',
  ],
  credentials_wrong: [401, 'Incorrect email address or password.'],
  second_factor_required: [401, 'Confirm that it’s you with your second factor, such as a code from your app.'],
  second_factor_wrong: [401, 'That didn’t work. Check it, or start again.'],
  documentation_credentials_wrong: [401, 'Enter the user name and password for the documentation.'],

  email_verification_required: [
    403,
    'The email address of this account isn’t verified, or an administrator has seen a password of it. Reset the password by email first.',
  ],
  password_change_required: [403, 'You signed in with a temporary password. Choose a new password to continue.'],
  not_a_member: [403, 'You’re not an active member of this company.'],
  company_suspended: [403, 'This company is suspended. Contact support. You can still leave it.'],
  mailbox_code_required: [403, 'Enter the code that we’ve just sent to your email address.'],
  network_not_allowed: [403, 'This company can’t be used from this network.'],
  second_factor_required_by_company: [403, 'This company asks for a second factor. Confirm yours, or add one first.'],
  password_too_weak_for_company: [403, 'This company asks for a stronger password. Choose another one.'],
  origin_not_allowed: [
    403,
    'Session cookies work only from this service’s own pages and from origins that it allows. Check the Origin header.',
  ],
  permission_missing: [403, 'You don’t have permission to do this in this company.'],
  reauthentication_required: [403, 'Confirm that it’s you, then try again.'],

  company_mismatch: [403, 'The company in the URL and the one in x-company-id must be the same.'],
  grant_exceeds_permissions: [403, 'You can’t grant permissions that you don’t have in this company.'],
  target_exceeds_permissions: [403, 'You can’t change a member or role with more permissions than yours.'],
  owner_only: [403, 'Only an owner of the company can do this.'],
  domain_not_allowed: [403, 'People with an email address at this domain can’t join this company.'],
  sign_up_closed: [403, 'Accounts can’t be created here. Ask an administrator of your company to add you.'],
  invitation_for_another: [403, 'This invitation is for another email address. Sign in with the account that has it.'],
  account_not_managed: [403, 'Your company doesn’t manage this account, so only its user can set the password.'],

  route_not_found: [404, 'Nothing found at this URL.'],
  factor_not_found: [404, 'Second factor not found.'],
  company_not_found: [404, 'Company not found.'],
  session_not_found: [404, 'Session not found.'],
  member_not_found: [404, 'Member not found in this company.'],
  role_not_found: [404, 'Role not found in this company.'],
  account_not_found: [404, 'Account not found.'],
  branch_not_found: [404, 'Branch not found in this company.'],
  domain_not_found: [404, 'Domain not found in this company.'],
  join_request_not_found: [404, 'There’s no such pending request to join.'],
  invitation_not_found: [404, 'Invitation not found.'],
  invitation_link_not_found: [404, 'Invitation link not found.'],
  transfer_not_found: [404, 'There’s no pending ownership transfer.'],
  pending_email_not_found: [404, 'There’s no pending email change.'],

  email_taken: [409, 'An account with this email address already exists.'],
  passkey_known: [409, 'This passkey already belongs to an account. Use another one.'],
  email_reserved: [
    409,
    'Another account had this email address less than 7 days ago and can still restore it. Try again later.',
  ],
  slug_taken: [409, 'This slug is already in use. Choose another one.'],
  company_name_taken: [
    409,
    'A company with this name, or one that looks the same, already exists. Choose another name, or send a slug.',
  ],
  transfer_pending: [409, 'There’s already a pending ownership transfer for this company. Cancel it first.'],
  address_change_undoable: [
    422,
    'The email address of an account in this transfer changed less than 7 days ago, and the address before can still take the account back. Transfer the ownership after that.',
  ],
  invitation_pending: [409, 'This email address already has a pending invitation. Edit it or send it again.'],
  already_member: [409, 'This account is already a member of the company.'],
  branch_name_taken: [409, 'This company already has a branch with this name.'],
  branch_code_taken: [409, 'This company already has a branch with this code.'],
  role_name_taken: [409, 'This company already has a role with this name or one that looks the same.'],
  role_in_use: [
    409,
    'Members, pending invitations or domains still have this role, or the sign-in policy names it. Set reassignTo to the role they should get instead, and change the policy.',
  ],

  domain_taken: [409, 'This company already has this domain, or another company has verified it at this moment.'],

  request_in_progress: [409, 'A request with this Idempotency-Key is still in progress. Try again in a moment.'],
  idempotent_response_expired: [
    409,
    'This request was completed, but its response can no longer be repeated. Use a new Idempotency-Key to do it again.',
  ],

  version_mismatch: [412, 'This was changed after you loaded it. Reload it and try again.'],

  body_too_large: [413, 'The request body can’t be larger than 102,400 bytes.'],
  body_not_json: [415, 'The request body must be JSON. Send the header Content-Type: application/json.'],

  idempotency_key_reused: [422, 'This Idempotency-Key was already used with a different request. Use a new key.'],
  current_password_wrong: [422, 'Your current password is incorrect.'],
  password_unchanged: [422, 'Choose a password that’s different from your current one.'],
  no_temporary_password: [422, 'This account doesn’t have a temporary password.'],
  factor_required: [422, 'A company that you’re a member of asks for a second factor. Add another one first.'],
  factor_limit_reached: [
    422,
    'You already have as many factors of this kind as an account can have. Remove one first.',
  ],
  grace_too_long: [422, 'The date can be up to 90 days ahead.'],
  policy_locks_you_out: [422, 'This policy would keep you out. Do first what it asks for, or change it.'],
  policy_locks_all_owners: [
    422,
    'No owner could enter the company any more. Another owner has to comply with the policy first.',
  ],
  role_unknown: [422, 'One or more of these roles don’t exist in this company.'],
  system_role: [422, 'This is a built-in role. It can’t be changed or deleted.'],
  role_reassigned_to_itself: [422, 'Choose a different role for reassignTo than the one you’re deleting.'],
  member_without_role: [422, 'A member must have at least one role.'],
  last_owner: [422, 'A company must have at least one active owner. Transfer ownership first.'],
  branch_unknown: [422, 'One or more of these branches don’t exist in this company.'],
  branch_inactive: [422, 'You can’t add members or branches to an inactive branch.'],
  branch_cycle: [422, 'You can’t move a branch under itself or one of its own branches.'],
  branch_too_deep: [422, 'Branches can be nested up to 8 levels deep.'],
  role_limit_reached: [422, 'A company can have up to 1,000 roles. Delete one first.'],
  branch_limit_reached: [422, 'A company can have up to 10,000 branches.'],
  branch_has_children: [422, 'This branch contains other branches. Move or delete them first.'],
  branch_has_members: [422, 'This branch has members. Move them to another branch first.'],
  already_owner: [422, 'This member is already an owner.'],
  transfer_expired: [422, 'This ownership transfer has expired or is no longer valid. Ask for a new one.'],
  domain_is_shared: [422, 'This domain is shared by many organizations. Add one that only yours uses.'],
  domain_limit_reached: [422, 'A company can have up to 20 domains.'],
  domain_record_not_found: [
    422,
    'The DNS doesn’t have the record of this domain. Changes can take some hours to be seen everywhere.',
  ],
  join_request_declined: [422, 'This company declined your request within the last 30 days. Ask it to invite you.'],
  owner_role_not_allowed: [422, 'People who join by a domain can’t become owners. Choose another role.'],
  invitation_not_pending: [422, 'This invitation was already answered or canceled, or has expired.'],
  invitation_no_longer_valid: [
    422,
    'This invitation is no longer valid: the person who sent it can’t invite you anymore. Ask for a new one.',
  ],
  invitation_limit_reached: [
    422,
    'This company has as many pending invitations (1,000) or invitation links (50) as it can have. Cancel some first.',
  ],
  slug_limit_reached: [422, 'This company changed its slug too often (10 times in 90 days). Try again later.'],
  added_company_limit_reached: [
    422,
    'This account is a member of so many companies that none can add it. Ask its owner to leave one, or invite them by email.',
  ],
  company_limit_reached: [422, 'An account can be a member of up to 1,000 companies. Leave one first.'],
  company_not_deleted: [422, 'This company isn’t deleted.'],

  rate_limited: [429, 'Too many requests. Wait a moment, then try again.'],
  too_many_exports: [429, 'You already have two exports running. Wait until one finishes.'],
  email_limit_reached: [429, 'Too many emails were sent. Wait a while, then try again.'],
  too_many_attempts: [429, 'Too many failed attempts for this account. Wait a while, then try again.'],

  internal_error: [500, 'Something went wrong on our side. Try again later.'],
  overloaded: [503, 'The service is busy. Try again in a moment.'],
  email_worker_stopped: [503, 'The email delivery worker has stopped.'],
  service_stopping: [503, 'This instance of the service is stopping. Send requests to another one.'],
  database_unavailable: [503, 'The service can’t reach its database. Try again in a moment.'],
} as const satisfies Record<string, readonly [number, string]>

export type ProblemCode = keyof typeof problems

/** What a problem may carry besides its code. */
export interface ProblemContext {
  /** One entry for each field that failed validation. */
  details?: { path: string; message: string }[]
  /** The permission that the caller lacks. */
  required?: string
  /** What a policy would have against the session of the caller: the code of its refusal. */
  closedBy?: string
  /** How the caller can give the proof that is asked for. */
  methods?: string[]
  /** What a sign-in waits for. */
  challenge?: { token: string; methods: string[]; expires_at: string; passkeyOptions?: PasskeyRequestOptions }
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
