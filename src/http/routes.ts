import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import type { Access } from '../access/access.ts'
import type { AuditAction } from '../access/actions.ts'
import type { Database } from '../database/open.ts'
import type { CursorPage, Page } from '../lib/paging.ts'
import type { AccessCheck } from './access.ts'
import { type Download, openDownloads } from './downloads.ts'
import { cursorPageOf, envelope, pageOf } from './envelope.ts'
import { type Handle, runnerOf } from './handlers.ts'
import { type Outcome, replayAfterAccessLoss } from './idempotency/replay.ts'
import type { IdempotencyStore } from './idempotency/store.ts'
import { languageWanted } from './languages.ts'
import type { RouteLimit } from './limits.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import { asCursorPage, asDownload, asPage, asResource, type Finish } from './responses.ts'
import type { AnyDeclaration, Declaration, HandlerContext, Replayed } from './route-definition.ts'
import { serializer, validatorCompiler } from './schemas.ts'
import { isNotModified } from './versions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The stored response for a caller who has lost access by the same request. */
    replayed: Outcome | undefined
  }
  interface FastifyContextConfig {
    access?: Access
    action?: AuditAction
    limit?: RouteLimit
    keyIncludesBody?: true
  }
}

type Register<Result> = <A extends Access, Params, Query, Body, Data, Prepared = undefined>(
  path: string,
  declaration: Declaration<A, Params, Query, Body, Data, Prepared>,
  handle: (
    context: HandlerContext<A, Params, Query, Body> & { prepared: Prepared },
  ) => Promise<ResultOf<Result, Data>> | ForNothing<Data>,
) => void

type ResultOf<Result, Data> = Result extends 'page'
  ? Page<Data>
  : Result extends 'cursor'
    ? CursorPage<Data>
    : Result extends 'download'
      ? Download
      : Data | Replayed<Data>

/** A handler whose response has no data may give nothing back. */
type ForNothing<Data> = Data extends Record<string, never> ? Promise<void> : never

/** Where features declare their routes, below `/api`. */
export interface Api {
  get: Register<'one'>
  /** GET of a list that is counted: query `page`, `limit`, `sortBy`, `sortDir`. */
  list: Register<'page'>
  /** GET of a list that is walked: query `cursor`, `limit`. */
  walk: Register<'cursor'>
  /** GET of what is streamed, line by line; `data` describes the whole text. */
  download: Register<'download'>
  post: Register<'one'>
  put: Register<'one'>
  patch: Register<'one'>
  delete: Register<'one'>
}

export interface ApiParts {
  database: Database
  checkAccess: AccessCheck
  idempotency: IdempotencyStore
  document: OpenApiDocument
  /** Also parses every response with its schema: for tests. */
  strictAnswers: boolean
}

export function createApi(app: FastifyInstance, parts: ApiParts): Api {
  const writeDownload = openDownloads(app)
  const register =
    (method: HTTPMethods, shape: (data: z.ZodType) => z.ZodType, finish: Finish) =>
    (path: string, declaration: AnyDeclaration, handle: Handle) => {
      const url = `/api${path}`
      const answer = shape(declaration.response.data)
      const write = serializer(answer, parts.strictAnswers)
      parts.document.add(method, url, declaration, answer)
      app.route({
        method,
        url,
        ...configOf(declaration, answer),
        // Asked for its head alone, a download would be made all the same.
        exposeHeadRoute: !declaration.response.mediaTypes,
        validatorCompiler,
        serializerCompiler: () => write,
        ...accessHooks(parts, declaration),
        handler: respond(runnerOf(parts, method, declaration, handle, finish), declaration, writeDownload),
      })
    }
  return {
    get: register('GET', envelope, asResource),
    list: register('GET', pageOf, asPage),
    walk: register('GET', cursorPageOf, asCursorPage),
    download: register('GET', (text) => text, asDownload),
    post: register('POST', envelope, asResource),
    put: register('PUT', envelope, asResource),
    patch: register('PATCH', envelope, asResource),
    delete: register('DELETE', envelope, asResource),
  } as unknown as Api // The declarations' types hold one route together; from here on every route is alike.
}

/** What the conventions ask of a route before its handler, and the schemas that Fastify compiles. */
function configOf({ access, action, limit, request = {}, response, idempotency }: AnyDeclaration, answer: z.ZodType) {
  const { params, query: querystring, body } = request
  const { status = 200, mediaTypes } = response
  return {
    config: {
      access,
      action,
      ...(limit && { limit }),
      ...(idempotency?.keyIncludesBody && { keyIncludesBody: true as const }),
    },
    schema: {
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(body && { body }),
      ...(!mediaTypes && { response: { [status]: answer } }),
    },
  }
}

/** Access is checked before the body is read, and again after it: a client can take its time over a body. */
function accessHooks({ checkAccess, idempotency }: ApiParts, declaration: AnyDeclaration) {
  const { access } = declaration
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const passing = checkAccess(request, reply, access)
      if (!declaration.idempotency?.replayAfterAccessLoss) return passing
      await passing.catch(async (refusal) => {
        request.replayed = await replayAfterAccessLoss(idempotency, request, declaration, refusal)
      })
    },
    ...(declaration.request?.body && {
      preHandler: async (request: FastifyRequest, reply: FastifyReply) => checkAccess(request, reply, access),
    }),
  }
}

function respond(
  run: (request: FastifyRequest) => Promise<Outcome>,
  { response: { localized, mediaTypes, timeoutMs } }: AnyDeclaration,
  writeDownload: ReturnType<typeof openDownloads>,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (timeoutMs) request.raw.socket.setTimeout(timeoutMs)
    const { status, etag, body, isReplayed } = request.replayed ?? (await run(request))
    if (isReplayed) reply.header('idempotent-replayed', 'true')
    if (etag) reply.headers({ etag, 'cache-control': 'private, no-cache' })
    if (localized) reply.headers(headersOfLanguage(request, reply))
    if (etag && request.method === 'GET' && isNotModified(request.headers, etag)) return reply.code(304).send()
    reply.code(status)
    return mediaTypes ? writeDownload(body as Download, reply) : body
  }
}

function headersOfLanguage({ headers }: FastifyRequest, reply: FastifyReply): Record<string, string> {
  const vary = [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', ')
  return { 'content-language': languageWanted(headers['accept-language']), vary }
}
