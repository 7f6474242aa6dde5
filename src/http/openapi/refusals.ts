import { closedCodes } from '../../access/policies.ts'
import type { Access } from '../../access/requirements.ts'
import { type ProblemCode, statusOf } from '../../problems.ts'
import { isRateLimited } from '../limits/limits.ts'
import type { Operation } from '../route-definition.ts'

/**
 * What an operation may refuse, by status: what the conventions, its access, its limits and its schemas imply, and what
 * its rules declare.
 */
export function refusalsOf(operation: Operation): Map<number, ProblemCode[]> {
  const { access, ownerOnly, fresh, request, problems = [], version, sessionCookie } = operation.declaration
  const codes = new Set<ProblemCode>([
    ...(request ? (['validation_failed'] as const) : []),
    ...refusalsOfAccess(access),
    ...(ownerOnly ? (['owner_only'] as const) : []),
    ...(fresh ? (['reauthentication_required'] as const) : []),
    ...problems,
    ...(sessionCookie ? (['origin_not_allowed'] as const) : []),
    ...(version?.current ? (['version_mismatch'] as const) : []),
    ...refusalsOfIdempotency(operation),
    // A body is read, and may be refused, also where nothing is expected in it.
    ...(operation.method === 'GET' ? [] : (['malformed_json', 'body_too_large', 'body_not_json'] as const)),
    'malformed_request',
    ...(isRateLimited(operation.url) ? (['rate_limited'] as const) : []),
    ...(['internal_error', 'overloaded', 'database_unavailable'] as const),
  ])
  const byStatus = Map.groupBy(codes, statusOf)
  // Before a request can be read as one, its address counts for nothing.
  for (const status of UNREADABLE) byStatus.set(status, ['malformed_request'])
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

const UNREADABLE = [408, 431]

function refusalsOfIdempotency({ method, declaration }: Operation): ProblemCode[] {
  if (method === 'GET' || declaration.idempotency?.handledByRule) return []
  const codes: ProblemCode[] = ['idempotency_key_malformed', 'request_in_progress']
  if (declaration.idempotency?.secret?.otherwise === 'refuse') codes.push('idempotent_response_expired')
  return declaration.idempotency?.keyIncludesBody ? codes : [...codes, 'idempotency_key_reused']
}

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
    ...(access.company === 'membership' || access.company === 'any membership'
      ? []
      : (['permission_missing'] as const)),
    ...(access.company === 'any membership' ? [] : (['company_suspended', ...closedCodes] as const)),
    ...(access.sameAs ? (['company_mismatch'] as const) : []),
  ]
}
