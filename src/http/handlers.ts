import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { CompanyActor } from '../access/actors.ts'
import { lockActor } from '../access/memberships.ts'
import type { Database, Tx } from '../database/open.ts'
import { inCompany } from '../database/scopes.ts'
import { type Outcome, withIdempotency } from './idempotency/replay.ts'
import type { IdempotencyStore } from './idempotency/store.ts'
import { languageWanted } from './languages.ts'
import { requestInfoOf } from './request-info.ts'
import type { Finish } from './responses.ts'
import { type AnyDeclaration, Replayed } from './route-definition.ts'
import { assertVersion, etagOf } from './versions.ts'

export type Handle = (context: object) => Promise<unknown>

/**
 * What runs a route's handler. In a company the handler gets `tx`. A read is sent with its scope in one sync. A write
 * runs in one transaction, which begins with the company's lock and another look at what the actor may do, and is
 * committed before the response, together with what a repetition will be answered. Elsewhere a rule opens its own
 * transaction, after its slow work.
 */
export function runnerOf(
  { database, idempotency }: { database: Database; idempotency: IdempotencyStore },
  method: HTTPMethods,
  declaration: AnyDeclaration,
  handle: Handle,
  finish: Finish,
): (request: FastifyRequest) => Promise<Outcome> {
  const { access } = declaration
  const run = async (request: FastifyRequest, beforeCommit: (tx: Tx, outcome: Outcome) => Promise<void>) => {
    const context = await contextOf(request, declaration)
    const outcomeOf = (result: unknown) => outcomeFrom(result, request, declaration, finish)
    if (typeof access === 'string') return outcomeOf(await handle(context))
    const { companyId, accountId } = request.actor as CompanyActor
    const scope = inCompany(companyId, accountId)
    if (method === 'GET') return outcomeOf(await handle({ ...context, tx: database.autocommit(scope) }))
    return database.write(scope, async (tx) => {
      const actor = await lockActor(tx, request.actor as CompanyActor, access)
      const locked = { ...context, tx, actor, caller: actor }
      await assertCurrentVersion(request, declaration, locked)
      const outcome = outcomeOf(await handle(locked))
      await beforeCommit(tx, outcome)
      return outcome
    })
  }
  if (method === 'GET' || declaration.idempotency?.handledByRule) return (request) => run(request, async () => {})
  const { secret } = declaration.idempotency ?? {}
  return withIdempotency(idempotency, { inTransaction: typeof access === 'object', secret }, run)
}

async function contextOf(request: FastifyRequest, { prepare, response }: AnyDeclaration): Promise<object> {
  const { params, query, body, actor, headers } = request
  const language = response.localized && languageWanted(headers['accept-language'])
  const context = { params, query, body, actor, caller: actor ?? requestInfoOf(request), language }
  return { ...context, prepared: await prepare?.(context as never) }
}

/** `If-Match` is compared under the lock of the write. */
async function assertCurrentVersion({ headers }: FastifyRequest, { version }: AnyDeclaration, context: object) {
  if (version?.current && headers['if-match'] !== undefined)
    assertVersion(headers, await version.current(context as never))
}

function outcomeFrom(result: unknown, request: FastifyRequest, declaration: AnyDeclaration, finish: Finish): Outcome {
  const { version: { etag } = {}, response } = declaration
  const isReplayed = result instanceof Replayed
  const data = isReplayed ? result.data : result
  const isState = typeof etag === 'function' ? etag(data) : etag
  const body = finish(data, request, declaration)
  return { status: response.status ?? 200, body, isReplayed, ...(isState && { etag: etagOf(data) }) }
}
