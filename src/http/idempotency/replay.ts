import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '../../database/open.ts'
import { type Problem, type ProblemCode, problem } from '../../problems.ts'
import { findCompanyId } from '../check-access.ts'
import { problemBody, problemFrom } from '../errors.ts'
import type { AnyDeclaration } from '../route-definition.ts'
import type { IdempotencyStore, Reservation, RouteResponse, StoredReplay } from './store.ts'

export type Run = (
  request: FastifyRequest,
  reply: FastifyReply,
  beforeCommit: (tx: Tx, response: RouteResponse) => Promise<void>,
) => Promise<RouteResponse>

/**
 * Gives a repeated request the response of the first one. `inTransaction`: the response is stored in the transaction of
 * the change; otherwise right after the change is committed.
 */
export function withIdempotency(
  store: IdempotencyStore,
  { inTransaction, secret }: { inTransaction: boolean; secret: NonNullable<AnyDeclaration['idempotency']>['secret'] },
  run: Run,
): (request: FastifyRequest, reply: FastifyReply) => Promise<RouteResponse> {
  return async (request, reply) => {
    const reserved = await reserve(store, secret, request)
    if (!reserved) return run(request, reply, async () => {})
    if ('body' in reserved) return { ...reserved, isReplayed: true }
    const mayBeDoneAgain = secret?.otherwise === 'repeat' || isDryRun(request)
    const isKept = (response: RouteResponse) => !(mayBeDoneAgain && isLong(response))
    try {
      const response = await run(request, reply, async (tx, answer) => {
        if (inTransaction && isKept(answer)) await reserved.store(tx, answer)
      })
      if (inTransaction && isKept(response)) return response
      // The change is committed, so a failure to store its response must not look like a failed change.
      const ended = isKept(response) ? reserved.storeAfterCommit(response) : reserved.release()
      await ended.catch((error) => {
        request.log.warn({ err: error }, 'response not stored for repeated requests')
      })
      return response
    } catch (error) {
      // Once the refusal is recorded: a repetition gets what is stored, of which nothing is recorded any more.
      request.keepRefusal = (refused) => keepRefusal(reserved, refused)
      throw error
    }
  }
}

/**
 * What may be done again, such as signing in, is not kept when it is long: an account in a thousand companies gets half a megabyte with each
 * sign-in, and a day of these would fill a disk. In characters.
 */
const KEPT_LENGTH_MAX = 65_536

const isLong = ({ body }: RouteResponse) => JSON.stringify(body).length > KEPT_LENGTH_MAX

const isDryRun = ({ query }: FastifyRequest) => (query as { dryRun?: unknown }).dryRun === 'true'

/** A stored response that contains a secret is repeated only while it is recent and the secret is still valid. */
async function reserve(
  store: IdempotencyStore,
  secret: NonNullable<AnyDeclaration['idempotency']>['secret'],
  request: FastifyRequest,
): Promise<Reservation | StoredReplay | undefined> {
  const reserved = await store.reserve(request)
  if (!secret || !reserved || !('body' in reserved) || reserved.status >= 400) return reserved
  const { data } = reserved.body as { data: unknown }
  if (reserved.isRecent && (await secret.isValid(data, request.params, request.actor))) return reserved
  if (secret.otherwise === 'refuse') throw problem('idempotent_response_expired')
  await reserved.forget()
  return reserve(store, secret, request)
}

/** Refusals of a caller who never had access, or has lost it. */
const ACCESS_LOST = new Set<ProblemCode>(['company_not_found', 'not_a_member', 'permission_missing'])

/**
 * For a caller whose access was refused: returns the stored response of the same request if that request removed the
 * access, such as leaving a company. Otherwise throws the refusal.
 */
export async function replayAfterAccessLoss(
  store: IdempotencyStore,
  request: FastifyRequest,
  { access, request: { params } = {} }: AnyDeclaration,
  refusal: unknown,
): Promise<RouteResponse> {
  const parsed = params?.safeParse(request.params)
  const companyId = typeof access === 'object' ? findCompanyId(request, access) : undefined
  if (!ACCESS_LOST.has(problemFrom(refusal).code) || !parsed?.success || !companyId) throw refusal
  const stored = await store.findSuccess(request, parsed.data, companyId)
  if (!stored) throw refusal
  return { ...stored, isReplayed: true }
}

/** Refusals that a repetition may not get: missing access, rate limits, an outdated version, and server errors. */
const TEMPORARY_STATUSES = new Set([401, 403, 412, 429])
const TEMPORARY_CODES = new Set<ProblemCode>(['company_not_found', 'request_in_progress'])

async function keepRefusal(reservation: Reservation, refusal: Problem): Promise<void> {
  const { status, code } = refusal
  const isTemporary = status >= 500 || TEMPORARY_STATUSES.has(status) || TEMPORARY_CODES.has(code)
  if (isTemporary) await reservation.release()
  else await reservation.storeAfterCommit({ status, body: problemBody(refusal) })
}
