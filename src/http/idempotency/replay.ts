import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../database/open.ts'
import { type ProblemCode, problem } from '../../problems.ts'
import { bodyOf, problemFrom } from '../errors.ts'
import type { AnyDeclaration } from '../route-definition.ts'
import type { IdempotencyStore, Reservation, StoredResponse } from './store.ts'

export interface Outcome extends StoredResponse {
  /** The caller has had this answer before. */
  isReplayed: boolean
}

type Run = (request: FastifyRequest, beforeCommit: (tx: Tx, outcome: Outcome) => Promise<void>) => Promise<Outcome>

/**
 * Answers a retry like its first try. Where the route's change has its transaction here (`inTransaction`), the answer is
 * kept in it; elsewhere right after it.
 */
export function withIdempotency(
  retries: IdempotencyStore,
  { inTransaction, secretAnswer }: { inTransaction: boolean; secretAnswer: AnyDeclaration['secretAnswer'] },
  run: Run,
): (request: FastifyRequest) => Promise<Outcome> {
  const begin = async (request: FastifyRequest): Promise<Reservation | StoredResponse | undefined> => {
    const first = await retries.begin(request)
    if (!secretAnswer || !first || !('body' in first) || first.status >= 400) return first
    const { data } = first.body as { data: unknown }
    if (first.isRecent && (await secretAnswer.stillHolds(data, request.params))) return first
    if (secretAnswer.otherwise === 'refused') throw problem('idempotent_response_expired')
    await first.forget()
    return begin(request)
  }
  return async (request) => {
    const first = await begin(request)
    if (!first) return run(request, async () => {})
    if ('body' in first) return { ...first, isReplayed: true }
    try {
      if (inTransaction) return await run(request, (tx, outcome) => first.keep(tx, outcome))
      const outcome = await run(request, async () => {})
      // The change is committed: what fails now is no reason to tell the caller that it was not.
      await retries.storeAfterCommit(first, outcome).catch((error) => {
        request.log.warn({ err: error }, 'answer not kept for retries')
      })
      return outcome
    } catch (error) {
      await afterFailure(retries, first, error).catch((failure) => {
        request.log.warn({ err: failure }, 'key of a failed request not let go')
      })
      throw error
    }
  }
}

/** Refusals of somebody who has no access (any more). */
const ACCESS_LOST = new Set<ProblemCode>(['company_not_found', 'not_a_member', 'permission_missing'])

/** For whom access was refused: what the same request was answered before it took the access, or the refusal again. */
export async function replayAfterAccessLoss(
  retries: IdempotencyStore,
  request: FastifyRequest,
  { access, params }: AnyDeclaration,
  refused: unknown,
): Promise<Outcome> {
  const read = params?.safeParse(request.params)
  const at = typeof access === 'object' ? access.at : undefined
  const company = at ? (read?.data as Record<string, string> | undefined)?.[at] : request.headers['x-company-id']
  if (!ACCESS_LOST.has(problemFrom(refused).code) || !read?.success || typeof company !== 'string') throw refused
  const kept = await retries.recall(request, read.data, company.toLowerCase())
  if (!kept) throw refused
  return { ...kept, isReplayed: true }
}

/** Whose answer may be another one next time: who may do it, how often, in which version, and what is our own fault. */
const PASSING = new Set([401, 403, 412, 429])
const PASSING_CODES = new Set<ProblemCode>(['company_not_found', 'request_in_progress'])

async function afterFailure(retries: IdempotencyStore, first: Reservation, error: unknown): Promise<void> {
  const refused = problemFrom(error)
  if (refused.status >= 500 || PASSING.has(refused.status) || PASSING_CODES.has(refused.code)) await first.release()
  else await retries.storeAfterCommit(first, { status: refused.status, body: bodyOf(refused) })
}
