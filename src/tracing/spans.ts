/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string
  /** The trace and this span, as W3C Trace Context writes them. */
  readonly traceparent: string
  /** Statements that `work` sends, also later, belong to this request. */
  run(work: () => void): void
  end(outcome: RequestOutcome): void
}

export interface RequestOutcome {
  status: number
  requestId: string
  /** The code of the problem of the response. */
  code: string | undefined
}

export interface ArrivingRequest {
  method: string
  /** The pattern of the path; undefined: none matches. */
  route: string | undefined
  headers: Record<string, string | string[] | undefined>
}

export interface EmailAttempt {
  id: string
  kind: string
  attempts: number
}

/** What is traced. No span has an address, a token, a path, a query or a value of a statement. */
export interface Spans {
  request(request: ArrivingRequest): RequestSpan
  /** Statements that were sent together, and the promises of their results. Outside of a request or email they have no span. */
  statements(texts: readonly { sql: string }[], results: readonly Promise<unknown>[]): void
  /** Rejects as `work` does. */
  email(attempt: EmailAttempt, work: () => Promise<void>): Promise<void>
}

/** As many as this process has: one tracer, or none. Undefined unless the OTEL_* variables name a receiver. */
export const tracing: { spans: Spans | undefined } = { spans: undefined }
