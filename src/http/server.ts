import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { addressesIn } from '../lib/proxies.ts'
import { problem } from '../problems.ts'
import { connectionsMaxFor, limitConnections, readOpenFilesMax } from './connections.ts'
import { type ErrorHandlerOptions, errorHandler, respondToClientError } from './errors.ts'
import { warnOfForwarding } from './forwarding.ts'
import { closeGracefully } from './graceful-close.ts'
import { defaultHeaders } from './headers.ts'
import { isRateLimited, type Limits } from './limits/limits.ts'
import { OpenRequests } from './open-requests.ts'
import { allowOrigins } from './origins.ts'
import { requestIdFrom, resolveClientIp } from './request-info.ts'
import { logRequests, logResponse, RequestLog } from './request-log.ts'
import { traceRequests } from './request-spans.ts'
import type { RequestTimes } from './request-times.ts'
import { validatorCompiler } from './schemas.ts'

export const BODY_BYTES_MAX = 102_400
const HEADER_BYTES_MAX = 16_384
const HEADERS_MS = 10_000
const REQUEST_MS = 15_000
export const KEEP_ALIVE_MS = 65_000
/** Longer than any response takes, so that it ends only connections whose client does not read. */
export const SOCKET_TIMEOUT_MS = 75_000

export interface ServerOptions extends ErrorHandlerOptions {
  config: Config
  log: Logger
  limits: Limits
  /** Connections of all clients together; by default derived from the limit of open files. */
  connectionsMax?: number
  /** Undefined: requests are not measured. */
  requestTimes?: RequestTimes | undefined
  /** How long requests may go on arriving during a stop. */
  closeGraceMs?: number | undefined
}

/** A web server with the conventions of every route, but without routes. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { config, log, limits, connectionsMax = connectionsMaxFor(readOpenFilesMax(), config.workers) } = options
  const isProxy = addressesIn(config.trustProxy)
  const { app, requests } = createFastify(options, isProxy)
  closeGracefully(app, requests, { log, graceMs: options.closeGraceMs })
  limitConnections(app, { max: connectionsMax, isProxy, log })
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('actor', undefined)
  app.decorateRequest('replayed', undefined)
  app.decorateRequest('liveSession', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('keepRefusal', undefined)
  traceRequests(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders(request.id))
    done()
  })
  // Set here and not in onRequest, because a client may take long to send the body.
  app.addHook('preValidation', (request, _reply, done) => {
    request.arrivedAt = performance.now()
    // A missing body counts as an empty object; Fastify would pass null to the validator.
    if (request.body === undefined) request.body = {}
    done()
  })
  options.requestTimes?.track(app)
  logRequests(app, log)
  warnOfForwarding(app, isProxy)
  await allowOrigins(app, config)
  countRequests(app, limits)
  handleUnknownRoutes(app)
  parseOnlyJson(app)
  assertRoutesDeclared(app)
  return app
}

function createFastify(options: ServerOptions, isProxy: (address: string) => boolean) {
  const { config, log, limits, onRefused, requestTimes } = options
  const handleError = errorHandler({ onRefused, isProxy })
  const app: FastifyInstance = fastify({
    ...transport,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent, bindings) => new RequestLog(parent as Logger, bindings) as never,
    trustProxy: config.trustProxy.length > 0 ? isProxy : false,
    requestIdHeader: false,
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    clientErrorHandler(error, socket) {
      const status = respondToClientError(error, socket, requests)
      if (status) requestTimes?.observeUnknown('', status, 0)
    },
    schemaController: { compilersFactory },
    frameworkErrors: (error, request, reply) => {
      void respondToUndecodableUrl(error, request as FastifyRequest, reply as FastifyReply)
    },
  }) as unknown as FastifyInstance
  const requests = new OpenRequests(app.server)
  /** Fastify runs no hooks for a URL that can't be decoded, so this does their work. */
  const respondToUndecodableUrl = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    Object.defineProperty(request, 'ip', { value: resolveClientIp(request, isProxy) })
    reply.headers(defaultHeaders(request.id))
    const refused = await countOnly(limits, request, reply, error)
    reply.send(await handleError(refused, request, reply))
    logResponse(log, request, reply)
    requestTimes?.observeUnknown(request.method, reply.statusCode, reply.elapsedTime)
  }
  app.setErrorHandler(handleError)
  // Node would refuse any `Expect` other than 100-continue by itself, without the headers and body of a problem.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return { app, requests }
}

/** The error, or the one of a limit that is exceeded. */
async function countOnly(limits: Limits, request: FastifyRequest, reply: FastifyReply, error: unknown) {
  try {
    await limits.count(request, reply)
    return error
  } catch (limitExceeded) {
    return limitExceeded
  }
}

/** Every route brings its own compilers; these spare Fastify from loading the ones that it has. */
const compilersFactory = {
  buildValidator: () => validatorCompiler as never,
  buildSerializer: () => () => JSON.stringify,
}

const transport = {
  bodyLimit: BODY_BYTES_MAX,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionTimeout: SOCKET_TIMEOUT_MS,
  http: {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS,
    // How often Node checks for requests that take too long.
    connectionsCheckingInterval: 1000,
    // Node's own refusal has no body; handleUnknownRoutes checks the header instead.
    requireHostHeader: false,
  },
  // The router runs before the access check, so it accepts parameters of any length; their schema refuses them later.
  routerOptions: { maxParamLength: HEADER_BYTES_MAX },
  // While the service stops, a request on an open connection is still served, and the connection closed after it.
  return503OnClosing: false,
}

/** Unknown routes count against the general limit; health checks, public keys, documentation and pages do not. */
function countRequests(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions
    const isCounted = !config.isStatic && (url === undefined || isRateLimited(url))
    const counting = isCounted ? limits.count(request, reply, config.limit) : undefined
    // Without Redis the requests are counted by now.
    if (counting) counting.then(() => done(), done)
    else done()
  })
}

/** Runs before the body is read, so that an unknown route is a 404 whatever the body is. */
function handleUnknownRoutes(app: FastifyInstance): void {
  const refuse = () => {
    throw problem('route_not_found')
  }
  app.addHook('onRequest', ({ is404, headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') throw problem('malformed_request')
    if (is404) refuse()
    done()
  })
  app.setNotFoundHandler(refuse)
}

function parseOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    // Clients send this header without a body, too; a route that needs a body then refuses it in validation.
    if (bytes.length === 0) done(null, undefined)
    else if (request.headers['content-encoding'] !== undefined) done(problem('body_not_json'))
    else if (!isUtf8(bytes)) done(problem('malformed_json'))
    else void parse(request, bytes.toString(), done)
  })
  // A streaming client sends no length, so only reading shows whether its body is empty. A body with another type is refused.
  app.addContentTypeParser('*', async (request: FastifyRequest, body: Readable) => {
    const { 'content-type': type, 'content-length': length } = request.headers
    if (type !== undefined || length !== undefined) throw problem('body_not_json')
    for await (const _ of body.iterator({ destroyOnReturn: false })) throw problem('body_not_json')
  })
}

/** A route below /api without `access` and `action` stops the start, so that none is public by omission. */
function assertRoutesDeclared(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, method, config, schema }) => {
    const hidden = (schema as { hide?: boolean } | undefined)?.hide
    if (url.startsWith('/api') && !url.startsWith('/api/docs') && !hidden && !(config?.access && config.action)) {
      throw new Error(`${method} ${url} declares no access or no action`)
    }
  })
}
