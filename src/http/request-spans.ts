import type { FastifyInstance } from 'fastify'
import { type RequestSpan, tracing } from '../tracing/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined: requests are not traced. */
    span: RequestSpan | undefined
  }
}

/** Traces requests, where traces are sent: what they do runs within their span. Called before other hooks are added. */
export function traceRequests(app: FastifyInstance): void {
  const { spans } = tracing
  app.decorateRequest('span', undefined)
  if (!spans) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request
    request.span = spans.request({ method, route: routeOptions.url, headers })
    reply.header('traceresponse', request.span.traceparent)
    request.span.run(done)
  })
  // The body arrives by events of the connection, which belongs to no request.
  app.addHook('preValidation', ({ span }, _reply, done) => {
    if (span) span.run(done)
    else done()
  })
  app.addHook('onResponse', ({ span, id, refusal }, { statusCode }, done) => {
    span?.end({ status: statusCode, requestId: id, code: refusal })
    done()
  })
}
