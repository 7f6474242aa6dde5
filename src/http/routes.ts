import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import type { AuditAction } from '../access/actions.ts'
import type { Access } from '../access/requirements.ts'
import { sessionWith } from '../access/sessions.ts'
import type { Database } from '../database/open.ts'
import type { CursorPage, JsonPage, Page } from '../lib/paging.ts'
import type { AccessChecks } from './check-access.ts'
import { createDownloadWriter, type Download } from './downloads.ts'
import { cursorPageOf, envelope, pageOf } from './envelope.ts'
import { createRunner, type Handle } from './handlers.ts'
import { replayAfterAccessLoss } from './idempotency/replay.ts'
import type { IdempotencyStore, RouteResponse } from './idempotency/store.ts'
import { preferredLanguage } from './languages.ts'
import type { RouteLimit } from './limits/limits.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import { asCursorPage, asDownload, asPage, asResource, type BuildBody } from './responses.ts'
import type { AnyDeclaration, Declaration, HandlerContext, ReadContext, Replayed } from './route-definition.ts'
import { serializer, validatorCompiler, withAddedFields } from './schemas.ts'
import { type SessionCookie, withSessionCookie } from './session-cookie.ts'
import { isNotModified } from './versions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The stored response for a caller who has lost access by the same request. */
    replayed: RouteResponse | undefined
    /** The row of the caller's session, for a route that reads more with it. */
    liveSession: object | undefined
  }
  interface FastifyContextConfig {
    access?: Access
    action?: AuditAction
    limit?: RouteLimit
    keyIncludesBody?: true
    /** A file for browsers, which counts against no limit. */
    isStatic?: boolean
  }
}

type RegisterRead<Result> = <A extends Access, Params, Query, Body, Data>(
  path: string,
  declaration: Declaration<A, Params, Query, Body, Data>,
  handle: (context: ReadContext<A, Params, Query>) => Promise<ResultOf<Result, Data>> | ResultOf<Result, Data>,
) => void

type RegisterWrite = <A extends Access, Params, Query, Body, Data, Prepared = undefined>(
  path: string,
  declaration: Declaration<A, Params, Query, Body, Data, Prepared>,
  handle: (
    context: HandlerContext<A, Params, Query, Body> & { prepared: Prepared },
  ) => Promise<Data | Replayed<Data>> | WithoutData<Data>,
) => void

type ResultOf<Result, Data> = Result extends 'page'
  ? Page<Data> | JsonPage<Data>
  : Result extends 'cursor'
    ? CursorPage<Data>
    : Result extends 'download'
      ? Download
      : Data

/** A handler whose response has no data may return nothing. */
type WithoutData<Data> = Data extends Record<string, never> ? Promise<void> : never

/** Registers the routes of the features below `/api`. */
export interface Api {
  get: RegisterRead<'one'>
  /** GET of a list with a total: query `page`, `limit`, `sortBy`, `sortDir`. */
  list: RegisterRead<'page'>
  /** GET of a list with a cursor: query `cursor`, `limit`. */
  listByCursor: RegisterRead<'cursor'>
  /** GET of a streamed text; `data` describes the whole text. */
  download: RegisterRead<'download'>
  post: RegisterWrite
  put: RegisterWrite
  patch: RegisterWrite
  delete: RegisterWrite
}

export interface ApiDeps {
  database: Database
  access: AccessChecks
  idempotency: IdempotencyStore
  sessionCookie: SessionCookie
  document: OpenApiDocument
  /** Also parses every response with its schema, in tests. */
  validateResponses: boolean
}

export function createApi(app: FastifyInstance, deps: ApiDeps): Api {
  const writeDownload = createDownloadWriter()
  const register =
    (method: HTTPMethods, shape: (data: z.ZodType) => z.ZodType, buildBody: BuildBody) =>
    (path: string, declaration: AnyDeclaration, handle: Handle) => {
      const url = `/api${path}`
      const responseSchema = shape(declaration.response.data)
      const serialize = serializer(responseSchema, { validate: deps.validateResponses })
      const run = createRunner(deps, method, declaration, handle, buildBody)
      deps.document.add(method, url, declaration, responseSchema)
      app.route({
        method,
        url,
        ...configOf(declaration, responseSchema),
        // A HEAD request would produce the whole download.
        exposeHeadRoute: !declaration.response.mediaTypes,
        validatorCompiler,
        serializerCompiler: () => serialize,
        ...accessHooks(deps, method, declaration),
        handler: respond(
          withSessionCookie(deps.sessionCookie, declaration.sessionCookie, run),
          declaration,
          responseSchema,
          writeDownload,
        ),
      })
    }
  return {
    get: register('GET', envelope, asResource),
    list: register('GET', pageOf, asPage),
    listByCursor: register('GET', cursorPageOf, asCursorPage),
    download: register('GET', (text) => text, asDownload),
    post: register('POST', envelope, asResource),
    put: register('PUT', envelope, asResource),
    patch: register('PATCH', envelope, asResource),
    delete: register('DELETE', envelope, asResource),
  } as unknown as Api // The generics type a declaration together with its handler; the code here treats all routes alike.
}

/** The route's settings for the hooks, and the schemas that Fastify compiles. */
function configOf(
  { access, action, limit, request = {}, response, idempotency }: AnyDeclaration,
  responseSchema: z.ZodType,
) {
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
      ...(!mediaTypes && { response: { [status]: responseSchema } }),
    },
  }
}

/**
 * Access is checked before the body is read, and again afterwards, because a client may take long to send the body. A read
 * in a company is checked by its runner, together with its first statements; a write in a company under its lock, unless a
 * stored response could come first, or slow work such as verifying a password.
 */
function accessHooks(deps: ApiDeps, method: HTTPMethods, declaration: AnyDeclaration) {
  const { check } = deps.access
  const { access, prepare, readsWithSession, sessionCookie } = declaration
  const sessionStatement = readsWithSession && sessionWith(readsWithSession)
  const isInCompany = typeof access === 'object'
  if (method === 'GET' && isInCompany) return { attachValidation: true }
  const isCheckedUnderLock = (request: FastifyRequest) =>
    isInCompany && !prepare && request.headers['idempotency-key'] === undefined
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const checked = check(request, reply, declaration, sessionStatement)
      if (!declaration.idempotency?.replayAfterAccessLoss) return checked
      await checked.catch(async (refusal) => {
        request.replayed = await replayAfterAccessLoss(deps.idempotency, request, declaration, refusal)
      })
    },
    ...(sessionCookie && {
      preValidation: async (request: FastifyRequest) => deps.sessionCookie.admit(request, sessionCookie),
    }),
    ...(method !== 'GET' && {
      preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
        if (request.replayed || !waitsForBody(request) || isCheckedUnderLock(request)) return
        await check(request, reply, declaration)
      },
    }),
  }
}

/** Whatever the route declares: a client may send what no handler reads, as slowly as any other body. */
const waitsForBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

function respond(
  run: (request: FastifyRequest, reply: FastifyReply) => Promise<RouteResponse>,
  { response: { localized, mediaTypes, timeoutMs } }: AnyDeclaration,
  responseSchema: z.ZodType,
  writeDownload: ReturnType<typeof createDownloadWriter>,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (timeoutMs) request.raw.socket.setTimeout(timeoutMs)
    const { status, etag, body, isReplayed } = request.replayed ?? (await run(request, reply))
    if (isReplayed) reply.header('idempotent-replayed', 'true')
    if (etag) reply.headers({ etag, 'cache-control': 'private, no-cache' })
    if (localized) reply.headers(languageHeaders(request, reply))
    if (etag && request.method === 'GET' && isNotModified(request.headers, etag)) return reply.code(304).send()
    reply.code(status)
    if (mediaTypes) return writeDownload(body as Download, reply)
    return isReplayed && status < 400 ? withAddedFields(responseSchema, body) : body
  }
}

function languageHeaders({ headers }: FastifyRequest, reply: FastifyReply): Record<string, string> {
  const vary = [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', ')
  return { 'content-language': preferredLanguage(headers['accept-language']), vary }
}
