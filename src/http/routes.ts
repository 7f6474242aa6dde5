import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import type { Access } from '../access/access.ts'
import type { AuditAction } from '../access/actions.ts'
import type { CompanyActor } from '../access/actors.ts'
import { lockActor } from '../access/memberships.ts'
import type { Database, Tx } from '../database/open.ts'
import { inCompany } from '../database/scopes.ts'
import type { AccessCheck } from './access.ts'
import { type Download, openDownloads } from './downloads.ts'
import { cursorPageOf, envelope, pageOf } from './envelope.ts'
import { type Outcome, replayAfterAccessLoss, withIdempotency } from './idempotency/replay.ts'
import type { IdempotencyStore } from './idempotency/store.ts'
import { languageWanted } from './languages.ts'
import type { RouteLimit } from './limits.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import type { CursorPage, Page } from './paging.ts'
import { requestInfoOf } from './request-info.ts'
import { type AnyDeclaration, type Declaration, type HandlerContext, Replayed } from './route-definition.ts'
import { serializer, validatorCompiler } from './schemas.ts'
import { assertVersion, etagOf, isNotModified } from './versions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What a request was answered whose sender has no access any more. */
    recalled: Outcome | undefined
  }
  interface FastifyContextConfig {
    access?: Access
    action?: AuditAction
    limit?: RouteLimit
    guessable?: true
  }
}

type Register<Result> = <A extends Access, Params, Query, Body, Answer, Prepared = undefined>(
  path: string,
  declaration: Declaration<A, Params, Query, Body, Answer, Prepared>,
  handle: (
    context: HandlerContext<A, Params, Query, Body> & { prepared: Prepared },
  ) => Promise<ResultOf<Result, Answer>> | ForNothing<Answer>,
) => void

type ResultOf<Result, Answer> = Result extends 'page'
  ? Page<Answer>
  : Result extends 'cursor'
    ? CursorPage<Answer>
    : Result extends 'download'
      ? Download
      : Answer | Replayed<Answer>

/** A handler whose answer has no data may give nothing back. */
type ForNothing<Answer> = Answer extends Record<string, never> ? Promise<void> : never

/** Where features declare their routes, below `/api`. */
export interface Api {
  get: Register<'one'>
  /** GET of a list that is counted: query `page`, `limit`, `sortBy`, `sortDir`. */
  list: Register<'page'>
  /** GET of a list that is walked: query `cursor`, `limit`. */
  walk: Register<'cursor'>
  /** GET of what is streamed, line by line; `answer` describes a line of it. */
  download: Register<'download'>
  post: Register<'one'>
  put: Register<'one'>
  patch: Register<'one'>
  delete: Register<'one'>
}

export interface ApiParts {
  database: Database
  checkAccess: AccessCheck
  retries: IdempotencyStore
  document: OpenApiDocument
  /** Also parses every answer with its schema: for tests. */
  strictAnswers: boolean
}

const PREFIX = '/api'

export function createApi(app: FastifyInstance, parts: ApiParts): Api {
  const asDownload = openDownloads(app)
  const register =
    (method: HTTPMethods, shape: (answer: z.ZodType) => z.ZodType, finish: Finish) =>
    (path: string, declaration: AnyDeclaration, handle: Handle) => {
      const { access, action, limit, params, query: querystring, body, localized, status = 200 } = declaration
      const url = PREFIX + path
      const answer = shape(declaration.answer)
      const write = serializer(answer, parts.strictAnswers)
      const run = answering(parts, method, declaration, handle, finish)
      parts.document.add(method, url, declaration, answer)
      app.route({
        method,
        url,
        config: { access, action, ...(limit && { limit }), ...(declaration.guessable && { guessable: true }) },
        schema: {
          ...(params && { params }),
          ...(querystring && { querystring }),
          ...(body && { body }),
          ...(!declaration.mediaTypes && { response: { [status]: answer } }),
        },
        // Asked for its head alone, a download would be made all the same.
        exposeHeadRoute: !declaration.mediaTypes,
        validatorCompiler,
        serializerCompiler: () => write,
        onRequest: async (request, reply) => {
          const passing = parts.checkAccess(request, reply, access)
          if (!declaration.endsAccess) return passing
          await passing.catch(async (refused) => {
            request.recalled = await replayAfterAccessLoss(parts.retries, request, declaration, refused)
          })
        },
        // A client can take its time over a body, and lose its session or its role meanwhile.
        ...(body && {
          preHandler: async (request: FastifyRequest, reply: FastifyReply) => parts.checkAccess(request, reply, access),
        }),
        handler: async (request, reply) => {
          if (declaration.patienceMs) request.raw.socket.setTimeout(declaration.patienceMs)
          const { status, etag, body, isReplayed } = request.recalled ?? (await run(request))
          if (isReplayed) reply.header('idempotent-replayed', 'true')
          if (etag) reply.headers({ etag, 'cache-control': 'private, no-cache' })
          if (localized) reply.headers(headersOfLanguage(request, reply))
          if (etag && method === 'GET' && isNotModified(request.headers, etag)) return reply.code(304).send()
          reply.code(status)
          return declaration.mediaTypes ? asDownload(body as Download, reply) : body
        },
      })
    }
  return {
    get: register('GET', envelope, asResource),
    list: register('GET', pageOf, asPage),
    walk: register('GET', cursorPageOf, asCursorPage),
    download: register('GET', (line) => line, asItIs),
    post: register('POST', envelope, asResource),
    put: register('PUT', envelope, asResource),
    patch: register('PATCH', envelope, asResource),
    delete: register('DELETE', envelope, asResource),
  } as unknown as Api // The declarations' types hold one route together; from here on every route is alike.
}

type Handle = (asked: object) => Promise<unknown>
type Finish = (result: unknown, request: FastifyRequest, declaration: AnyDeclaration) => object

/**
 * In a company the handler gets `tx`. A read is sent with its scope in one sync. A write runs in one transaction, which
 * begins with the company's lock and another look at what the actor may do, and is committed before the answer together
 * with what a retry will be told. Elsewhere a rule opens its own transaction, after its slow work.
 */
function answering(
  { database, retries }: ApiParts,
  method: HTTPMethods,
  declaration: AnyDeclaration,
  handle: Handle,
  finish: Finish,
): (request: FastifyRequest) => Promise<Outcome> {
  const { access, current, status = 200, versioned, ownRetries } = declaration
  const outcomeOf = (result: unknown, request: FastifyRequest): Outcome => {
    const isReplayed = result instanceof Replayed
    const answer = isReplayed ? result.answer : result
    const body = finish(answer, request, declaration)
    const isState = typeof versioned === 'function' ? versioned(answer) : versioned
    return { status, body, isReplayed, ...(isState && { etag: etagOf(answer) }) }
  }
  const run = async (request: FastifyRequest, beforeCommit: (tx: Tx, outcome: Outcome) => Promise<void>) => {
    const asked = await ask(request, declaration)
    if (typeof access === 'string') return outcomeOf(await handle(asked), request)
    const { companyId, accountId } = request.actor as CompanyActor
    const scope = inCompany(companyId, accountId)
    if (method === 'GET') return outcomeOf(await handle({ ...asked, tx: database.autocommit(scope) }), request)
    return database.write(scope, async (tx) => {
      const actor = await lockActor(tx, request.actor as CompanyActor, access)
      const inTransaction = { ...asked, tx, actor, caller: actor }
      if (current && request.headers['if-match'] !== undefined)
        assertVersion(request.headers, await current(inTransaction as never))
      const outcome = outcomeOf(await handle(inTransaction), request)
      await beforeCommit(tx, outcome)
      return outcome
    })
  }
  if (method === 'GET' || ownRetries) return (request) => run(request, async () => {})
  return withIdempotency(
    retries,
    { inTransaction: typeof access === 'object', secretAnswer: declaration.secretAnswer },
    run,
  )
}

async function ask(request: FastifyRequest, { prepare, localized }: AnyDeclaration): Promise<object> {
  const { params, query, body, actor } = request as FastifyRequest & { params: unknown; query: unknown; body: unknown }
  const language = localized && languageWanted(request.headers['accept-language'])
  const asked = { params, query, body, actor, caller: actor ?? requestInfoOf(request), language }
  return { ...asked, prepared: await prepare?.(asked as never) }
}

function headersOfLanguage({ headers }: FastifyRequest, reply: FastifyReply): Record<string, string> {
  const vary = [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', ')
  return { 'content-language': languageWanted(headers['accept-language']), vary }
}

const asItIs: Finish = (result) => result as object

const asResource: Finish = (data = {}, _request, { message }) => {
  const said = typeof message === 'function' ? message(data) : message
  return { success: true, data, ...(said && { message: said }) }
}

const asPage: Finish = (result, request) => {
  const { items, total } = result as Page<unknown>
  const { page, limit } = request.query as { page: number; limit: number }
  return { success: true, data: items, total, page, limit }
}

const asCursorPage: Finish = (result, request) => {
  const { items, nextCursor } = result as CursorPage<unknown>
  const { limit } = request.query as { limit: number }
  return { success: true, data: items, nextCursor, hasNext: nextCursor !== null, limit }
}
