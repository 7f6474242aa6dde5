import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { describeStatement } from './describe-statement.ts'
import type { ArrivingRequest, EmailAttempt, RequestOutcome, RequestSpan, Spans } from './spans.ts'

/** Spans by the names of OpenTelemetry's semantic conventions. */
export function openTelemetrySpans(tracer: Tracer): Spans {
  return {
    request: (request) => startRequest(tracer, request),
    statements(texts, results) {
      if (!trace.getActiveSpan()?.isRecording()) return
      texts.forEach(({ sql }, index) => {
        const span = startStatement(tracer, sql)
        results[index]?.then(
          () => span.end(),
          (error) => fail(span, error),
        )
      })
    },
    email: (attempt, work) => traceEmail(tracer, attempt, work),
  }
}

function startRequest(tracer: Tracer, { method, route, headers }: ArrivingRequest): RequestSpan {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const attributes = { 'http.request.method': method, 'url.scheme': 'http', ...(route && { 'http.route': route }) }
  const span = tracer.startSpan(route ? `${method} ${route}` : method, { kind: SpanKind.SERVER, attributes }, parent)
  return new TracedRequest(span, trace.setSpan(parent, span))
}

class TracedRequest implements RequestSpan {
  readonly #span: Span
  readonly #context: Context

  constructor(span: Span, own: Context) {
    this.#span = span
    this.#context = own
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  run(work: () => void): void {
    context.with(this.#context, work)
  }

  end({ status, requestId, code }: RequestOutcome): void {
    this.#span.setAttributes({ 'http.response.status_code': status, 'tenantry.request_id': requestId })
    if (code) this.#span.setAttribute('tenantry.problem', code)
    if (status >= 500) {
      this.#span.setAttribute('error.type', code ?? String(status))
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#span.end()
  }
}

function startStatement(tracer: Tracer, sql: string): Span {
  const { summary, operation, text } = describeStatement(sql)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': summary,
    'db.query.text': text,
  }
  return tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes })
}

async function traceEmail(tracer: Tracer, { id, kind, attempts }: EmailAttempt, work: () => Promise<void>) {
  const attributes = { 'tenantry.email.id': id, 'tenantry.email.kind': kind, 'tenantry.email.attempts': attempts }
  const span = tracer.startSpan('send email', { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT)
  try {
    await context.with(trace.setSpan(ROOT_CONTEXT, span), work)
    span.end()
  } catch (error) {
    fail(span, error)
    throw error
  }
}

/** The kind of the error alone: its message may quote values and addresses. */
function fail(span: Span, error: unknown): void {
  const { code, name = 'Error' } = (error ?? {}) as { code?: unknown; name?: string }
  span.setAttribute('error.type', typeof code === 'string' ? code : name)
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
