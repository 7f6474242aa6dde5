import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import type { Member } from '../callers.ts'
import type { Database } from '../database/open.ts'
import { inCompany } from '../database/tenancy.ts'
import type { Access, AccessCheck } from './access.ts'
import { callerOf } from './callers.ts'
import type { AnyDeclaration, Asked, Declaration } from './declarations.ts'
import { asDownload, type Download } from './downloads.ts'
import { cursorPageOf, envelope, pageOf } from './envelope.ts'
import type { RouteLimit } from './limits.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { CursorPage, Page } from './paging.ts'
import { serializer, validator } from './schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    action?: string
    limit?: RouteLimit
  }
}

type Register<Result> = <A extends Access, Params, Query, Body, Answer, Prepared = undefined>(
  path: string,
  declaration: Declaration<A, Params, Query, Body, Answer, Prepared>,
  handle: (asked: Asked<A, Params, Query, Body> & { prepared: Prepared }) => Promise<ResultOf<Result, Answer>>,
) => void

type ResultOf<Result, Answer> = Result extends 'page'
  ? Page<Answer>
  : Result extends 'cursor'
    ? CursorPage<Answer>
    : Result extends 'download'
      ? Download
      : Answer

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
  document: OpenApiDocument
  /** Also parses every answer with its schema: for tests. */
  strictAnswers: boolean
}

const PREFIX = '/api'

export function createApi(app: FastifyInstance, parts: ApiParts): Api {
  const register =
    (method: HTTPMethods, shape: (answer: z.ZodType) => z.ZodType, finish: Finish) =>
    (path: string, declaration: AnyDeclaration, handle: Handle) => {
      const { access, action, limit, params, query: querystring, body, status = 200 } = declaration
      const url = PREFIX + path
      const answer = shape(declaration.answer)
      const write = serializer(answer, parts.strictAnswers)
      const run = inItsScope(parts.database, method, declaration, handle)
      parts.document.add(method, url, declaration, answer)
      app.route({
        method,
        url,
        config: { access, action, ...(limit && { limit }) },
        schema: {
          ...(params && { params }),
          ...(querystring && { querystring }),
          ...(body && { body }),
          ...(!declaration.mediaTypes && { response: { [status]: answer } }),
        },
        // Asked for its head alone, a download would be made all the same.
        exposeHeadRoute: !declaration.mediaTypes,
        validatorCompiler: ({ schema }) => validator(schema as unknown as z.ZodType),
        serializerCompiler: () => write,
        onRequest: async (request) => parts.checkAccess(request, access),
        // A client can take its time over a body, and lose its session or its role meanwhile.
        ...(body && { preHandler: async (request: FastifyRequest) => parts.checkAccess(request, access) }),
        handler: async (request, reply) => {
          if (declaration.patienceMs) request.raw.socket.setTimeout(declaration.patienceMs)
          const result = await run(request)
          reply.code(status)
          return finish(result, request, declaration, reply)
        },
      })
    }
  return {
    get: register('GET', envelope, asResource),
    list: register('GET', pageOf, asPage),
    walk: register('GET', cursorPageOf, asCursorPage),
    download: register(
      'GET',
      (line) => line,
      (result, _request, _declaration, reply) => asDownload(result as Download, reply),
    ),
    post: register('POST', envelope, asResource),
    put: register('PUT', envelope, asResource),
    patch: register('PATCH', envelope, asResource),
    delete: register('DELETE', envelope, asResource),
  } as unknown as Api // The declarations' types hold one route together; from here on every route is alike.
}

type Handle = (asked: object) => Promise<unknown>
type Finish = (result: unknown, request: FastifyRequest, declaration: AnyDeclaration, reply: FastifyReply) => unknown

/**
 * In a company the handler gets `tx`: reads are sent with their tenant in one sync, everything else runs in one
 * transaction that is committed before the answer. Outside of one a rule opens its own transaction, after its slow work.
 */
function inItsScope(database: Database, method: string, { access, prepare }: AnyDeclaration, handle: Handle) {
  const ask = async (request: FastifyRequest) => {
    const { params, query, body, actor } = request as FastifyRequest & {
      params: unknown
      query: unknown
      body: unknown
    }
    const prepared = await prepare?.({ params, query, body })
    return { params, query, body, prepared, actor, caller: actor ?? callerOf(request) }
  }
  if (typeof access === 'string') return async (request: FastifyRequest) => handle(await ask(request))
  return async (request: FastifyRequest) => {
    const asked = await ask(request)
    const { companyId, accountId } = request.actor as Member
    const scope = inCompany(companyId, accountId)
    if (method === 'GET') return handle({ ...asked, tx: database.autocommit(scope) })
    return database.write(scope, (tx) => handle({ ...asked, tx }))
  }
}

const asResource: Finish = (data, _request, { message }) => {
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
