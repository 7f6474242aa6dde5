import { type Problem, type ProblemCode, problem } from '../problems.ts'

/** What the driver tells of an error: a SQLSTATE or a code of the operating system, and the constraint that refused. */
interface DatabaseError extends Error {
  code?: string
  /** Only the server gives one, in its own language. */
  severity?: string
  constraint?: string
  /** The place in the server's source: the same in every language. */
  routine?: string
}

/** The rules that the database keeps, by the names that migrations/ give them. */
const problemOfConstraint: Record<string, ProblemCode> = {
  accounts_email_key: 'email_taken',
  companies_slug_key: 'slug_taken',
  slugs_company_limit_check: 'slug_limit_reached',
  memberships_pkey: 'already_member',
  company_has_owner: 'last_owner',
  branches_name_key: 'branch_name_taken',
  branches_code_key: 'branch_code_taken',
  branches_depth_check: 'branch_too_deep',
  branches_cycle_check: 'branch_cycle',
  // Met by deleting only: whoever refers to a branch has looked for it under the same lock.
  branches_parent_fkey: 'branch_has_children',
  membership_branches_branch_fkey: 'branch_has_members',
  roles_name_key: 'role_name_taken',
  roles_skeleton_key: 'role_name_taken',
  roles_shape_key: 'role_name_taken',
  membership_roles_role_fkey: 'role_unknown',
  ownership_offers_pkey: 'transfer_pending',
}

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'
const STATEMENT_UNKNOWN = '26000'
const IN_FAILED_TRANSACTION = '25P02'
const READ_ONLY = '25006'

// Class 08: connection. 53: resources. 57: the server stops, or a time limit ended the statement. 25006: it has become a
// replica. 25P03, 25P04: a transaction took too long. 55P03: a lock did. 58030: the disk.
const UNAVAILABLE =
  /^(08|53|57)...$|^(25006|25P03|25P04|55P03|58030|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/
const ENDS_THE_CONNECTION = /^(08...|57P..|25P03|25P04)$/
const UNAVAILABLE_MESSAGES = /^(Connection terminated|Query read timeout|Client (was closed|has encountered))/i

/** Nothing was done, and doing all of it again may succeed. */
export function mayBeTriedAgain(error: unknown): boolean {
  const { code } = error as DatabaseError
  return code === DEADLOCK || code === SERIALIZATION_FAILURE || isOutdated(error)
}

/**
 * What we think prepared is not, or no longer as it was: two statements of one new text were on their way and the first
 * failed, or a table was altered under a prepared statement.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as DatabaseError
  return code === STATEMENT_UNKNOWN || routine === 'RevalidateCachedQuery'
}

/** Refused only because something before it in its transaction failed. */
export const isFollowUp = (error: unknown) => (error as DatabaseError).code === IN_FAILED_TRANSACTION

/** The server has become a replica: another connection may lead to the new primary. */
export const isReadOnly = (error: unknown) => (error as DatabaseError).code === READ_ONLY

/** The server refused one statement and goes on. After anything else the connection is not to be used again. */
export function leavesConnectionUsable(error: unknown): boolean {
  const { severity, code = '' } = error as DatabaseError
  return severity !== undefined && !ENDS_THE_CONNECTION.test(code) && !isReadOnly(error)
}

/** Whatever keeps us from a connection, such as a changed password, is no fault of the request. */
export function unavailable(cause: unknown): never {
  throw problem('database_unavailable', { cause, retryAfterSeconds: 2 })
}

/** The refusal that an error of the database means; undefined: a bug of ours. */
export function problemFromDatabase(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', constraint = '', message } = error as DatabaseError
  const refused = problemOfConstraint[constraint]
  if (refused) return problem(refused, { cause: error })
  if (mayBeTriedAgain(error) || UNAVAILABLE.test(code) || UNAVAILABLE_MESSAGES.test(message)) {
    return problem('database_unavailable', { cause: error, retryAfterSeconds: 2 })
  }
  return undefined
}
