import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { CompanyActor } from '../access/actors.ts'
import { lockActor } from '../access/memberships.ts'
import type { Database, Tx } from '../database/open.ts'
import { inCompany } from '../database/scopes.ts'
import { type RouteResponse, withIdempotency } from './idempotency/replay.ts'
import type { IdempotencyStore } from './idempotency/store.ts'
import { preferredLanguage } from './languages.ts'
import { requestInfoOf } from './request-info.ts'
import type { BuildBody } from './responses.ts'
import { type AnyDeclaration, Replayed } from './route-definition.ts'
import { assertVersion, etagOf } from './versions.ts'

export type Handle = (context: object) => Promise<unknown>

/**
 * Wraps a route's handler. In a company the handler gets `tx`: a read runs without a transaction, its scope sent in the
 * same round trip; a write runs in one transaction, which begins with the company's lock, reads the actor's authority
 * again, and commits before the response, together with the response stored for repetitions. Outside of a company the rule
 * opens its own transaction, after its slow work.
 */
export function createRunner(
  { database, idempotency }: { database: Database; idempotency: IdempotencyStore },
  method: HTTPMethods,
  declaration: AnyDeclaration,
  handle: Handle,
  buildBody: BuildBody,
): (request: FastifyRequest) => Promise<RouteResponse> {
  const { access } = declaration
  const run = async (request: FastifyRequest, beforeCommit: (tx: Tx, response: RouteResponse) => Promise<void>) => {
    const context = await contextOf(request, declaration)
    const toResponse = (result: unknown) => responseFrom(result, request, declaration, buildBody)
    if (typeof access === 'string') return toResponse(await handle(context))
    const { companyId, accountId } = request.actor as CompanyActor
    const scope = inCompany(companyId, accountId)
    if (method === 'GET') return toResponse(await handle({ ...context, tx: database.autocommit(scope) }))
    return database.write(scope, async (tx) => {
      const actor = await lockActor(tx, request.actor as CompanyActor, access)
      const locked = { ...context, tx, actor, caller: actor }
      await assertCurrentVersion(request, declaration, locked)
      const response = toResponse(await handle(locked))
      await beforeCommit(tx, response)
      return response
    })
  }
  if (method === 'GET' || declaration.idempotency?.handledByRule) return (request) => run(request, async () => {})
  const { secret } = declaration.idempotency ?? {}
  return withIdempotency(idempotency, { inTransaction: typeof access === 'object', secret }, run)
}

async function contextOf(request: FastifyRequest, { prepare, response }: AnyDeclaration): Promise<object> {
  const { params, query, body, actor, headers } = request
  const language = response.localized && preferredLanguage(headers['accept-language'])
  const context = { params, query, body, actor, caller: actor ?? requestInfoOf(request), language }
  return { ...context, prepared: await prepare?.(context as never) }
}

/** Compares `If-Match` under the lock of the write. */
async function assertCurrentVersion({ headers }: FastifyRequest, { version }: AnyDeclaration, context: object) {
  if (version?.current && headers['if-match'] !== undefined)
    assertVersion(headers, await version.current(context as never))
}

function responseFrom(
  result: unknown,
  request: FastifyRequest,
  declaration: AnyDeclaration,
  buildBody: BuildBody,
): RouteResponse {
  const { version: { etag } = {}, response } = declaration
  const isReplayed = result instanceof Replayed
  const data = isReplayed ? result.data : result
  const isState = typeof etag === 'function' ? etag(data) : etag
  const body = buildBody(data, request, declaration)
  return { status: response.status ?? 200, body, isReplayed, ...(isState && { etag: etagOf(data) }) }
}
