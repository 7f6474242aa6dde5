import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Bindings, Logger } from 'pino'
import { countedAddressOf } from './request-info.ts'

type Line = [fields: object, message?: string]

/** The log of one request. Its child of the service's log is made with its first line: most requests write none. */
export class RequestLog {
  readonly #service: Logger
  readonly #bindings: Bindings
  #child: Logger | undefined

  constructor(service: Logger, bindings: Bindings) {
    this.#service = service
    this.#bindings = bindings
  }

  get level(): string {
    return this.#service.level
  }

  fatal(...line: Line): void {
    this.#log.fatal(...line)
  }

  error(...line: Line): void {
    this.#log.error(...line)
  }

  warn(...line: Line): void {
    this.#log.warn(...line)
  }

  info(...line: Line): void {
    this.#log.info(...line)
  }

  debug(...line: Line): void {
    this.#log.debug(...line)
  }

  trace(...line: Line): void {
    this.#log.trace(...line)
  }

  silent(): void {}

  child(bindings: Bindings): Logger {
    return this.#log.child(bindings)
  }

  get #log(): Logger {
    this.#child ??= this.#service.child(this.#bindings)
    return this.#child
  }
}

/**
 * Logs one line for each response, with chosen fields only: the route and never the URL, which may contain a token. The
 * line of a refusal has its code, and the IP address where it may show guessing or probing.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    logResponse(log, request, reply)
    done()
  })
}

export function logResponse(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const level = levelOf(reply.statusCode, request)
  if (!log.isLevelEnabled(level)) return
  const { id: reqId, method, routeOptions, actor, refusal, span } = request
  log[level](
    {
      reqId,
      traceId: span?.traceId,
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      account: actor?.accountId,
      code: refusal,
      ip: STATUSES_LOGGED_WITH_IP.has(reply.statusCode) ? countedAddressOf(request) : undefined,
    },
    'request completed',
  )
}

/** Probes come every few seconds. What the service could not do is shown by every level up to `error` or `warn`. */
function levelOf(status: number, { routeOptions }: FastifyRequest): 'error' | 'warn' | 'info' | 'debug' {
  if (status === 500) return 'error'
  if (status > 500) return 'warn'
  return PROBES.test(routeOptions.url ?? '') ? 'debug' : 'info'
}

const PROBES = /^\/api\/health(\/|$)/

const STATUSES_LOGGED_WITH_IP = new Set([401, 403, 429])
