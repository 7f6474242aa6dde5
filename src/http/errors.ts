import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Attempt } from '../access/actors.ts'
import { problemFromDatabase } from '../database/errors.ts'
import { newId } from '../lib/ids.ts'
import { Problem, type ProblemCode, problem, sentenceOf, statusOf } from '../problems.ts'
import { headersOf } from './headers.ts'
import { attemptOf } from './request-info.ts'

/** Refusals of Fastify and its plugins, as ours. */
const problemOfFastify: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'body_not_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_STATIC_FORBIDDEN_PATH: 'route_not_found',
}

/** Whatever was thrown, as the problem that the caller is told. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code = '', statusCode = 500 } = (error ?? {}) as Partial<FastifyError>
  const known = problemOfFastify[code]
  if (known) return problem(known, { cause: error })
  // Whatever else they blame on the caller: a body that breaks off, a range or a condition that no file meets.
  if (statusCode >= 400 && statusCode < 500) return problem('malformed_request', { cause: error })
  return problemFromDatabase(error) ?? problem('internal_error', { cause: error })
}

export function bodyOf({ code, message, context }: Problem): Record<string, unknown> {
  const { details, required, count } = context
  return {
    statusCode: statusOf(code),
    message: details
      ? details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
      : message,
    error: STATUS_CODES[statusOf(code)],
    code,
    ...(details && { details }),
    ...(required && { required }),
    ...(count !== undefined && { count }),
  }
}

export interface ErrorHandling {
  /** Told of each refusal before it is answered, for the audit. */
  onRefused(attempt: Attempt, refused: Problem): Promise<void>
}

/** Refusals after which the connection is closed. */
const CLOSING = new Set([401, 403, 429])

export function errorHandler({ onRefused, isProxy }: ErrorHandling & { isProxy(address: string): boolean }) {
  /**
   * Those who are refused do not keep a connection. Only once all of the request is here: closed while its sender still
   * sends, the answer would be lost. Behind a trusted proxy a connection serves many.
   */
  const closes = (status: number, { raw, socket }: FastifyRequest) =>
    CLOSING.has(status) && raw.complete && !isProxy(socket.remoteAddress ?? '')
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refused = problemFrom(error)
    request.refusal = refused.code
    if (refused.status >= 500) {
      const level = refused.code === 'internal_error' ? 'error' : 'warn'
      request.log[level]({ err: refused.cause ?? refused, code: refused.code }, 'request failed')
    }
    const attempt = refused.status < 500 ? attemptOf(request) : undefined
    if (attempt) {
      await onRefused(attempt, refused).catch((failure) => request.log.error({ err: failure }, 'refusal not recorded'))
    }
    reply.code(refused.status).type('application/json; charset=utf-8')
    if (closes(refused.status, request)) reply.header('connection', 'close')
    if (refused.context.retryAfterSeconds) reply.header('retry-after', refused.context.retryAfterSeconds)
    if (refused.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
    return JSON.stringify(bodyOf(refused))
  }
}

const LINGER_MS = 1000

/** What can't even be read as HTTP gets the same body, and the connection is closed. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const code: ProblemCode = 'malformed_request'
  const body = JSON.stringify({ statusCode: status, message: sentenceOf(code), error: STATUS_CODES[status], code })
  const headers = {
    ...headersOf(newId()),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // Time to read the answer; whoever does not close their side does not keep the connection by that.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
