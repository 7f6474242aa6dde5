import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { CompanyActor } from '../access/actors.ts'
import { assertFresh } from '../access/freshness.ts'
import { getActor, holdSession, lockActor } from '../access/memberships.ts'
import { type CompanyAccess, noAccessCode, type Requirements, stricter } from '../access/requirements.ts'
import type { Database } from '../database/open.ts'
import { inCompany } from '../database/scopes.ts'
import type { AccessChecks } from './check-access.ts'
import { problemFrom } from './errors.ts'
import { type Run, withIdempotency } from './idempotency/replay.ts'
import type { IdempotencyStore, RouteResponse } from './idempotency/store.ts'
import { preferredLanguage } from './languages.ts'
import { requestInfoOf } from './request-info.ts'
import type { BuildBody } from './responses.ts'
import { type AnyDeclaration, Replayed } from './route-definition.ts'
import { assertVersion, etagOf } from './versions.ts'

export type Handle = (context: object) => Promise<unknown>

interface RunnerDeps {
  database: Database
  access: AccessChecks
  idempotency: IdempotencyStore
}

type Runner = (request: FastifyRequest, reply: FastifyReply) => Promise<RouteResponse>

/**
 * Wraps a route's handler. In a company the handler gets `tx`: the statements of a read travel with the access check, in one
 * round trip and without a transaction; a write runs in one transaction, which begins with the company's lock (a dry run: with
 * none), reads the actor's authority again, and commits before the response, together with the response stored for repetitions. Outside of a
 * company the rule opens its own transaction, after its slow work.
 */
export function createRunner(
  deps: RunnerDeps,
  method: HTTPMethods,
  declaration: AnyDeclaration,
  handle: Handle,
  buildBody: BuildBody,
): Runner {
  const { access, fresh, idempotency } = declaration
  const toResponse = (result: unknown, request: FastifyRequest) => responseFrom(result, request, declaration, buildBody)
  if (method === 'GET' && typeof access === 'object' && access.company === 'any membership')
    throw new Error('A read in a company is only for active members')
  if (method === 'GET' && typeof access === 'object')
    return companyRead(deps, { ...declaration, access }, handle, toResponse)
  const run: Run = async (request, reply, beforeCommit) => {
    const context = await contextOf(request, declaration)
    if (typeof access === 'string') return toResponse(await handle(context), request)
    const { companyId, accountId } = request.actor as CompanyActor
    const isDryRun = declaration.isDryRun?.({ query: request.query }) ?? false
    const readAgain = isDryRun ? getActor : lockActor
    return deps.database.write({ ...inCompany(companyId, accountId), slow: isDryRun }, async (tx) => {
      const { actor, stepUpMinutes } = await readAgain(tx, request.actor as CompanyActor, access).catch((refusal) => {
        if (problemFrom(refusal).code === noAccessCode(access))
          request.actor = { ...(request.actor as CompanyActor), isUnseen: true }
        throw refusal
      })
      deps.access.admit(request, reply, { ...declaration, access }, actor)
      const proof = stricter(fresh, stepUpMinutes)
      if (proof) await assertFresh(tx, actor, proof)
      const locked = { ...context, tx, actor, caller: actor }
      await assertCurrentVersion(request, declaration, locked)
      const response = toResponse(await handle(locked), request)
      await beforeCommit(tx, response)
      if (declaration.vouches) await holdSession(tx, actor)
      return response
    })
  }
  if (method === 'GET' || idempotency?.handledByRule) return (request, reply) => run(request, reply, async () => {})
  return withIdempotency(
    deps.idempotency,
    { inTransaction: typeof access === 'object', secret: idempotency?.secret },
    run,
  )
}

/** A refusal of access comes before every other problem, such as an invalid parameter. */
function companyRead(
  deps: RunnerDeps,
  declaration: AnyDeclaration & Requirements<CompanyAccess>,
  handle: Handle,
  toResponse: (result: unknown, request: FastifyRequest) => RouteResponse,
): Runner {
  return async (request, reply) => {
    const { tx, caller, actor, refused } = await deps.access.gate(request, reply, declaration)
    const read = async () => {
      if (request.validationError) throw request.validationError
      const { params, query } = request
      const language = languageOf(request, declaration)
      return toResponse(await handle({ params, query, language, tx, caller, actor }), request)
    }
    try {
      return await Promise.race([read(), refused])
    } finally {
      // A handler that needed no row, or failed before its first one.
      await actor()
    }
  }
}

async function contextOf(request: FastifyRequest, declaration: AnyDeclaration): Promise<object> {
  const { params, query, body, actor, liveSession: session } = request
  const language = languageOf(request, declaration)
  const context = { params, query, body, actor, caller: actor ?? requestInfoOf(request), session, language }
  return { ...context, prepared: await declaration.prepare?.(context as never) }
}

const languageOf = ({ headers }: FastifyRequest, { response }: AnyDeclaration) =>
  response.localized && preferredLanguage(headers['accept-language'])

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
