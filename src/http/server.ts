import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { addressesIn } from '../lib/proxies.ts'
import { problem } from '../problems.ts'
import { boundConnections, connectionsFor, openFilesMax } from './connections.ts'
import { answerUnreadable, type ErrorHandling, errorHandler } from './errors.ts'
import { warnOfUntrustedProxies } from './forwarding.ts'
import { headersOf } from './headers.ts'
import { isCounted, type Limits } from './limits.ts'
import { allowOrigins } from './origins.ts'
import { addressOf, requestIdFrom, senderOf } from './request-info.ts'

const BODY_BYTES_MAX = 102_400
const HEADER_BYTES_MAX = 16_384
const HEADERS_MS = 10_000
const REQUEST_MS = 15_000
const KEEP_ALIVE_MS = 65_000
/** Longer than any answer takes to come, so that it ends only connections whose peer does not read. */
const SILENCE_MS = 75_000

export interface ServerParts extends ErrorHandling {
  config: Config
  log: Logger
  limits: Limits
  /** Of callers, all networks together; by default what the limit of open files allows. */
  connectionsMax?: number
}

/** A web server with the conventions that hold for every route, and no route yet. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, log, limits, connectionsMax = connectionsFor(openFilesMax()) } = parts
  const isProxy = addressesIn(config.trustProxy)
  const app = openServer(parts, isProxy)
  boundConnections(app, { max: connectionsMax, isProxy, log })
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('actor', undefined)
  app.decorateRequest('recalled', undefined)
  app.decorateRequest('refusal', undefined)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request.id))
  })
  // Only now the whole request is here: a client can take its time over the body.
  app.addHook('preValidation', async (request) => {
    request.arrivedAt = performance.now()
    // No body at all says as much as an empty one; a validator would be given null for it, which is a body.
    if (request.body === undefined) request.body = {}
  })
  logRequests(app)
  warnOfUntrustedProxies(app, isProxy)
  await allowOrigins(app, config)
  countRequests(app, limits)
  answerUnknownAddresses(app)
  readOnlyJson(app)
  assertRoutesDeclared(app)
  return app
}

function openServer({ config, log, limits, onRefused }: ServerParts, isProxy: (address: string) => boolean) {
  const handleError = errorHandler({ onRefused, isProxy })
  const app = fastify({
    ...transport,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? isProxy : false,
    requestIdHeader: false,
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => {
      void answerUndecodable(error, request as FastifyRequest, reply as FastifyReply)
    },
  }) as unknown as FastifyInstance
  /** An address that can't be decoded: Fastify runs no hooks for it, so what they do is done here. */
  const answerUndecodable = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    Object.defineProperty(request, 'ip', { value: senderOf(request, isProxy) })
    reply.headers(headersOf(request.id))
    const refused = await limits.count(request, reply).then(
      () => error,
      (usedUp: unknown) => usedUp,
    )
    reply.send(await handleError(refused, request, reply))
    logAnswer(request, reply)
  }
  app.setErrorHandler(handleError)
  // Node alone would refuse other expectations than 100-continue, without our headers and body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

const transport = {
  bodyLimit: BODY_BYTES_MAX,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionTimeout: SILENCE_MS,
  http: {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS,
    // Node looks for requests that take too long only this often.
    connectionsCheckingInterval: 1000,
    // Node's own refusal has no body; ours is below.
    requireHostHeader: false,
  },
  // No parameter is too long for the router, which knows no access: its schema refuses it in its turn.
  routerOptions: { maxParamLength: HEADER_BYTES_MAX },
  // What comes on an open connection while the service stops is still served, and the connection closed after it.
  return503OnClosing: false,
}

/**
 * One line for each answer, of named fields only: a route and never its address, which may hold a token. Of refusals also
 * why, and of those that guessing and probing lead to also from where.
 */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => logAnswer(request, reply))
}

function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, actor, refusal } = request
  request.log.info(
    {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      account: actor?.accountId,
      code: refusal,
      ip: OF_INTEREST.has(reply.statusCode) ? addressOf(request) : undefined,
    },
    'answered',
  )
}

const OF_INTEREST = new Set([401, 403, 429])

/** The general limit counts everything, unknown addresses too, but health checks, public keys, documentation and pages. */
function countRequests(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions
    if (url === undefined || isCounted(url)) await limits.count(request, reply, config.limit)
  })
}

/** Before a body is read: what is not there is not there, whatever was sent to it. */
function answerUnknownAddresses(app: FastifyInstance): void {
  const refuse = () => {
    throw problem('route_not_found')
  }
  app.addHook('onRequest', async ({ is404, headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') throw problem('malformed_request')
    if (is404) refuse()
  })
  app.setNotFoundHandler(refuse)
}

function readOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    // Routes without a body are called with this header too; a route that needs one finds it missing.
    if (bytes.length === 0) done(null, undefined)
    else if (request.headers['content-encoding'] !== undefined) done(problem('body_not_json'))
    else if (!isUtf8(bytes)) done(problem('malformed_json'))
    else void parse(request, bytes.toString(), done)
  })
  // A client that streams announces no length, and so neither that there is nothing. Whatever has a type is not read.
  app.addContentTypeParser('*', async (request: FastifyRequest, body: Readable) => {
    const { 'content-type': type, 'content-length': length } = request.headers
    if (type !== undefined || length !== undefined) throw problem('body_not_json')
    for await (const _ of body.iterator({ destroyOnReturn: false })) throw problem('body_not_json')
  })
}

/** Closed by default: a route below /api that does not say who may call it stops the boot. */
function assertRoutesDeclared(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, method, config, schema }) => {
    const hidden = (schema as { hide?: boolean } | undefined)?.hide
    if (url.startsWith('/api') && !url.startsWith('/api/docs') && !hidden && !(config?.access && config.action)) {
      throw new Error(`${method} ${url} declares no access or no action`)
    }
  })
}
