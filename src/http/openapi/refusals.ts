import { type ProblemCode, statusOf } from '../../problems.ts'
import type { Access } from '../access.ts'
import type { Operation } from '../declarations.ts'
import { isCounted } from '../limits.ts'

/**
 * What an operation may refuse, by status: what the conventions, its access, its limits and its schemas imply, and what
 * its rules declare.
 */
export function refusalsOf(operation: Operation): Map<number, ProblemCode[]> {
  const { access, params, query, body, problems = [], current } = operation.declaration
  const codes = new Set<ProblemCode>([
    ...(params || query || body ? (['validation_failed'] as const) : []),
    ...refusalsOfAccess(access),
    ...problems,
    ...(current ? (['version_mismatch'] as const) : []),
    ...(isKeptForRetries(operation) ? REFUSALS_OF_RETRIES : []),
    // A body is read, and may be refused, also where nothing is expected in it.
    ...(operation.method === 'GET' ? [] : (['malformed_json', 'body_too_large', 'body_not_json'] as const)),
    'malformed_request',
    ...(isCounted(operation.url) ? (['rate_limited'] as const) : []),
    ...(['internal_error', 'overloaded', 'database_unavailable'] as const),
  ])
  const byStatus = Map.groupBy(codes, statusOf)
  // Before a request can be read as one, its address counts for nothing.
  for (const status of UNREADABLE) byStatus.set(status, ['malformed_request'])
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

const UNREADABLE = [408, 431]
const REFUSALS_OF_RETRIES: ProblemCode[] = [
  'idempotency_key_malformed',
  'request_in_progress',
  'idempotency_key_reused',
]

/** Whether an `Idempotency-Key` makes the service keep the answer. */
const isKeptForRetries = ({ method, declaration }: Operation) => method !== 'GET' && !declaration.ownRetries

function refusalsOfAccess(access: Access): ProblemCode[] {
  if (access === 'anyone') return []
  const signedIn: ProblemCode[] = ['token_missing', 'token_invalid']
  if (access === 'account with any password') return signedIn
  if (access === 'account') return [...signedIn, 'password_change_required']
  return [
    ...signedIn,
    'password_change_required',
    ...(access.at
      ? (['validation_failed', 'company_not_found'] as const)
      : (['company_header_missing', 'not_a_member'] as const)),
    ...(access.company === 'membership' ? [] : (['permission_missing'] as const)),
    ...(access.sameAs ? (['company_mismatch'] as const) : []),
  ]
}
