import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../database/open.ts'
import { type ProblemCode, problem } from '../../problems.ts'
import { companyIdFrom } from '../access.ts'
import { bodyOf, problemFrom } from '../errors.ts'
import type { AnyDeclaration } from '../route-definition.ts'
import type { IdempotencyStore, Reservation, StoredReplay, StoredResponse } from './store.ts'

export interface Outcome extends StoredResponse {
  /** The caller has had this response before. */
  isReplayed: boolean
}

type Run = (request: FastifyRequest, beforeCommit: (tx: Tx, outcome: Outcome) => Promise<void>) => Promise<Outcome>

/**
 * Answers a repeated request like its first try. Where the change has its transaction in the wrapper, the response is
 * stored in it (`inTransaction`); elsewhere right after it.
 */
export function withIdempotency(
  store: IdempotencyStore,
  { inTransaction, secret }: { inTransaction: boolean; secret: NonNullable<AnyDeclaration['idempotency']>['secret'] },
  run: Run,
): (request: FastifyRequest) => Promise<Outcome> {
  return async (request) => {
    const reserved = await reserve(store, secret, request)
    if (!reserved) return run(request, async () => {})
    if ('body' in reserved) return { ...reserved, isReplayed: true }
    try {
      if (inTransaction) return await run(request, (tx, outcome) => reserved.store(tx, outcome))
      const outcome = await run(request, async () => {})
      // The change is committed: what fails now is no reason to tell the caller that it was not.
      await store.storeAfterCommit(reserved, outcome).catch((error) => {
        request.log.warn({ err: error }, 'response not stored for repeated requests')
      })
      return outcome
    } catch (error) {
      await afterFailure(store, reserved, error).catch((failure) => {
        request.log.warn({ err: failure }, 'idempotency key of a failed request not released')
      })
      throw error
    }
  }
}

/** A stored response with a secret in it is repeated only while it is recent and the secret is still valid. */
async function reserve(
  store: IdempotencyStore,
  secret: NonNullable<AnyDeclaration['idempotency']>['secret'],
  request: FastifyRequest,
): Promise<Reservation | StoredReplay | undefined> {
  const reserved = await store.reserve(request)
  if (!secret || !reserved || !('body' in reserved) || reserved.status >= 400) return reserved
  const { data } = reserved.body as { data: unknown }
  if (reserved.isRecent && (await secret.isValid(data, request.params))) return reserved
  if (secret.otherwise === 'refuse') throw problem('idempotent_response_expired')
  await reserved.forget()
  return reserve(store, secret, request)
}

/** Refusals of a caller who has no access, or no longer. */
const ACCESS_LOST = new Set<ProblemCode>(['company_not_found', 'not_a_member', 'permission_missing'])

/**
 * For a caller whose access was refused: the response to the same request before it took the access, such as leaving a
 * company, or else the refusal again.
 */
export async function replayAfterAccessLoss(
  store: IdempotencyStore,
  request: FastifyRequest,
  { access, request: { params } = {} }: AnyDeclaration,
  refusal: unknown,
): Promise<Outcome> {
  const parsed = params?.safeParse(request.params)
  const companyId = typeof access === 'object' ? companyIdFrom(request, access) : undefined
  if (!ACCESS_LOST.has(problemFrom(refusal).code) || !parsed?.success || !companyId) throw refusal
  const stored = await store.findSuccess(request, parsed.data, companyId)
  if (!stored) throw refusal
  return { ...stored, isReplayed: true }
}

/** Refusals that may turn out differently next time: who may do it, how often, in which version, and our own faults. */
const PASSING_STATUSES = new Set([401, 403, 412, 429])
const PASSING_CODES = new Set<ProblemCode>(['company_not_found', 'request_in_progress'])

async function afterFailure(store: IdempotencyStore, reservation: Reservation, error: unknown): Promise<void> {
  const refusal = problemFrom(error)
  const isPassing = refusal.status >= 500 || PASSING_STATUSES.has(refusal.status) || PASSING_CODES.has(refusal.code)
  if (isPassing) await reservation.release()
  else await store.storeAfterCommit(reservation, { status: refusal.status, body: bodyOf(refusal) })
}
