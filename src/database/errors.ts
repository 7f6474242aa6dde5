import { type Problem, type ProblemCode, problem } from '../problems.ts'

/** An error of the driver. `code` is a SQLSTATE or a code of the operating system. */
interface DatabaseError extends Error {
  code?: string
  /** Present on errors of the server only, and translated into its language. */
  severity?: string
  /** The name of the violated constraint. */
  constraint?: string
  /** The function in the server's source that raised the error: the same in every language. */
  routine?: string
}

/** The rules that the database keeps, by the names that migrations/ give them. */
const problemOfConstraint: Record<string, ProblemCode> = {
  accounts_email_key: 'email_taken',
  accounts_email_reserved: 'email_reserved',
  second_factors_credential_id_key: 'passkey_known',
  // A factor was confirmed while its account signed in without one.
  sessions_second_factor: 'second_factor_required',
  companies_slug_key: 'slug_taken',
  slugs_company_limit_check: 'slug_limit_reached',
  memberships_pkey: 'already_member',
  memberships_account_limit_check: 'company_limit_reached',
  memberships_account_addition_check: 'added_company_limit_reached',
  company_has_owner: 'last_owner',
  branches_name_key: 'branch_name_taken',
  branches_code_key: 'branch_code_taken',
  branches_depth_check: 'branch_too_deep',
  branches_cycle_check: 'branch_cycle',
  // Violated by deleting only: a write that refers to a branch has read it under the same lock.
  branches_parent_fkey: 'branch_has_children',
  membership_branches_branch_fkey: 'branch_has_members',
  roles_name_key: 'role_name_taken',
  roles_skeleton_key: 'role_name_taken',
  roles_shape_key: 'role_name_taken',
  membership_roles_role_fkey: 'role_unknown',
  ownership_offers_pkey: 'transfer_pending',
  company_domains_name_key: 'domain_taken',
  company_domains_verified_key: 'domain_taken',
  invitations_pending_key: 'invitation_pending',
  // The account of the caller was deleted meanwhile, and its sessions with it.
  challenges_account_id_fkey: 'token_invalid',
  second_factor_attempts_account_id_fkey: 'token_invalid',
  // The account was deleted while its password was verified.
  sessions_account_id_fkey: 'credentials_wrong',
}

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'
const STATEMENT_UNKNOWN = '26000'
const IN_FAILED_TRANSACTION = '25P02'
const READ_ONLY = '25006'
const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'

// Class 08: connection. 53: resources. 57: the server stops, or statement_timeout. 25006: the server has become a
// replica. 25P03, 25P04: a transaction timed out. 55P03: lock_timeout. 58030: I/O error.
const UNAVAILABLE =
  /^(08|53|57)...$|^(25006|25P03|25P04|55P03|58030|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/
/** After this time the client may send the request again. */
const RETRY_AFTER_SECONDS = 2
const ENDS_THE_CONNECTION = /^(08...|57P..|25P03|25P04)$/
const UNAVAILABLE_MESSAGES = /^(Connection terminated|Query read timeout|Client (was closed|has encountered))/i

/** What a rule has read was outdated when it wrote: the transaction runs again from its start. */
export class OutdatedReadError extends Error {
  readonly code = SERIALIZATION_FAILURE

  constructor(options: ErrorOptions) {
    super('Another transaction wrote what this one has read before', options)
  }
}

/** The server has committed, but its standby may not have it, so a failover could lose what it did. */
export class UnreplicatedCommitError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The wait for the synchronous standby was canceled, so the commit may not have been replicated')
  }
}

/** The server is silent. What was sent may have had its effect or not. */
export class NoAnswerError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The database has not answered in time')
  }
}

/**
 * The steps that were prepared when the connection was opened are gone from it, and its settings with them: something in
 * between has reset it, such as a pooler. Nothing has run.
 */
export class LostSettingsError extends Error {
  readonly code = STATEMENT_UNKNOWN

  constructor(options: ErrorOptions) {
    super('The connection has been reset', options)
  }
}

/** The statement or transaction had no effect, and the same one may succeed when it runs again. */
export function isRetryable(error: unknown): boolean {
  const { code } = error as DatabaseError
  return code === DEADLOCK || code === SERIALIZATION_FAILURE || isOutdated(error)
}

/**
 * A prepared statement is missing or out of date on the server: two statements with one new text were sent and the
 * first one failed, or a table of a prepared statement was altered.
 */
export function isOutdated(error: unknown): boolean {
  return isUnknownStatement(error) || (error as DatabaseError).routine === 'RevalidateCachedQuery'
}

export const isUnknownStatement = (error: unknown) => (error as DatabaseError).code === STATEMENT_UNKNOWN

/** The statement was refused only because an earlier one of its transaction has failed. */
export const isFollowUp = (error: unknown) => (error as DatabaseError).code === IN_FAILED_TRANSACTION

/** The statement had no effect, because it waited for a lock or ran for longer than its connection allows. */
export function hasTimedOut(error: unknown): boolean {
  const { code, severity } = error as DatabaseError
  return severity !== undefined && (code === LOCK_NOT_AVAILABLE || code === QUERY_CANCELED)
}

/** The server has become a replica; a new connection may lead to the new primary. */
export const isReadOnly = (error: unknown) => (error as DatabaseError).code === READ_ONLY

/** The server refused one statement and keeps the connection. After any other error it must not be used again. */
export function leavesConnectionUsable(error: unknown): boolean {
  const { severity, code = '' } = error as DatabaseError
  return severity !== undefined && !ENDS_THE_CONNECTION.test(code) && !isReadOnly(error)
}

/** For an error that prevents a connection, such as a changed password: the client gets 503 and may try again. */
export function throwUnavailable(cause: unknown): never {
  throw problem('database_unavailable', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** The problem that an error of the database stands for; undefined when the error is a bug of this service. */
export function problemFromDatabase(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', constraint = '', message } = error as DatabaseError
  const violated = problemOfConstraint[constraint]
  if (violated) return problem(violated, { cause: error })
  if (isRetryable(error) || UNAVAILABLE.test(code) || UNAVAILABLE_MESSAGES.test(message)) {
    return problem('database_unavailable', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  return undefined
}
