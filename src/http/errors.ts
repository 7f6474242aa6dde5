import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Attempt } from '../access/actors.ts'
import { problemFromDatabase } from '../database/errors.ts'
import { newId } from '../lib/ids.ts'
import { Problem, type ProblemCode, problem, sentenceOf, statusOf } from '../problems.ts'
import { defaultHeaders } from './headers.ts'
import { endAfter, linger, type OpenRequests } from './open-requests.ts'
import { findAttempt } from './request-info.ts'

// An import would also load what this module exports but the service never uses, such as a WebSocket client.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Such as `Not Found`. */
export const statusText = (status: number): string => STATUS_CODES[status] ?? ''

/** The errors of Fastify and its plugins that have a problem of their own. */
const problemOfFastify: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'body_not_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_STATIC_FORBIDDEN_PATH: 'route_not_found',
}

/** Converts anything that was thrown into the problem of the response. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code = '', statusCode = 500 } = (error ?? {}) as Partial<FastifyError>
  const known = problemOfFastify[code]
  if (known) return problem(known, { cause: error })
  // Fastify's other client errors: a body that breaks off, a range or a condition that no file meets.
  if (statusCode >= 400 && statusCode < 500) return problem('malformed_request', { cause: error })
  return problemFromDatabase(error) ?? problem('internal_error', { cause: error })
}

export function problemBody({ code, message, context }: Problem): Record<string, unknown> {
  const { details, required, methods, challenge, closedBy, count } = context
  return {
    statusCode: statusOf(code),
    message: details
      ? details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
      : message,
    error: statusText(statusOf(code)),
    code,
    ...(details && { details }),
    ...(required && { required }),
    ...(methods && { methods }),
    ...(challenge && { challenge }),
    ...(closedBy && { closedBy }),
    ...(count !== undefined && { count }),
  }
}

export interface ErrorHandlerOptions {
  /** Called for each refusal before the response is sent; writes the audit record. */
  onRefused(attempt: Attempt, refused: Problem): Promise<void>
}

const STATUSES_CLOSING_CONNECTION = new Set([401, 403, 429])

export function errorHandler({ onRefused, isProxy }: ErrorHandlerOptions & { isProxy(address: string): boolean }) {
  /**
   * A refused client does not keep its connection. While the client is still sending, the connection stays open, because
   * closing it would lose the response. So does a trusted proxy's, because it carries the requests of many clients.
   */
  const closesConnection = (status: number, { raw, socket }: FastifyRequest) =>
    STATUSES_CLOSING_CONNECTION.has(status) && raw.complete && !isProxy(socket.remoteAddress ?? '')
  /** While no refusal can be recorded there is none: who floods the database could hide attempts otherwise. */
  const recorded = async (refused: Problem, request: FastifyRequest): Promise<Problem> => {
    const attempt = refused.status < 500 ? findAttempt(request) : undefined
    if (!attempt) return refused
    try {
      await onRefused(attempt, refused)
      return refused
    } catch (error) {
      const failure = problemFrom(error)
      if (failure.code === 'database_unavailable') return failure
      request.log.error({ err: error }, 'refusal not recorded')
      return refused
    }
  }
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refused = await recorded(problemFrom(error), request)
    request.refusal = refused.code
    await request.keepRefusal?.(refused).catch((failure) => {
      request.log.warn({ err: failure }, 'refusal not stored for repeated requests')
    })
    if (refused.status >= 500) {
      const level = refused.code === 'internal_error' ? 'error' : 'warn'
      request.log[level]({ err: refused.cause ?? refused, code: refused.code }, 'request failed')
    }
    reply.code(refused.status).type('application/json; charset=utf-8')
    // A refusal within the event of its request comes before Node knows whether the request is complete.
    if (!request.raw.complete) await undefined
    if (closesConnection(refused.status, request)) reply.header('connection', 'close')
    if (refused.context.retryAfterSeconds) reply.header('retry-after', refused.context.retryAfterSeconds)
    if (refused.status === 401) describeUnauthorized(reply)
    return JSON.stringify(problemBody(refused))
  }
}

/** A session that ended while its request waited tells nothing about the permissions that it had. */
function describeUnauthorized(reply: FastifyReply): void {
  reply.removeHeader('x-permissions-version')
  if (!reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
}

/**
 * Responds to bytes that Node can't parse as HTTP, in the shape of every other problem, and closes the connection. A
 * connection that still waits for other responses gets those and no more; one whose request is answered already gets none.
 * Returns the status of the response; undefined: there is none.
 */
export function respondToClientError(
  { code = '' }: NodeJS.ErrnoException,
  socket: Socket,
  requests: OpenRequests,
): number | undefined {
  const whole = requests.pendingOf(socket).filter(({ req }) => req.complete)
  if (code === 'ECONNRESET' || !socket.writable || requests.isAnsweredEarly(socket)) socket.destroy()
  else if (whole.length > 0) endAfter(whole.at(-1) as ServerResponse)
  else {
    const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[code] ?? 400
    linger(socket, clientErrorResponse(status))
    return status
  }
  return undefined
}

function clientErrorResponse(status: number): string {
  const code: ProblemCode = 'malformed_request'
  const body = JSON.stringify({ statusCode: status, message: sentenceOf(code), error: statusText(status), code })
  const headers = {
    ...defaultHeaders(newId()),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${statusText(status)}\r\n${lines.join('')}\r\n${body}`
}
