import type { PermissionName, Schemas } from './types.ts'

/** The codes of the service. A newer service may send others: they are passed on. */
export type ServiceCode = Schemas['Problem']['code']

/**
 * - `signed_out`: there is no session, or it has ended
 * - `account_changed`: another tab has signed in with another account since
 * - `network_error`: no answer came, after all attempts
 * - `unexpected_response`: what came is not an answer of the service, such as the page of a proxy
 */
export type ClientCode = 'signed_out' | 'account_changed' | 'network_error' | 'unexpected_response'
export type ProblemCode = ServiceCode | ClientCode

/** The fields that only some codes have. */
interface Fields {
  second_factor_required: { readonly challenge: NonNullable<Schemas['Problem']['challenge']> }
  reauthentication_required: { readonly methods: readonly string[] }
  validation_failed: { readonly details: readonly { path: string; message: string }[] }
  permission_missing: { readonly required: PermissionName }
}
type FieldsOf<Code> = Code extends keyof Fields ? Fields[Code] : unknown

export interface ProblemBase<Code extends string> extends Error {
  readonly name: 'Problem'
  readonly code: Code
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** Show or log it: support finds the request by it. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, with 429, 503 and `request_in_progress`. */
  readonly retryAfter: number | undefined
}

/** A refusal, narrowed by its code: `error instanceof Problem && error.code === 'last_owner'`. */
export type Problem<Code extends ProblemCode = ProblemCode> = Code extends ProblemCode
  ? ProblemBase<Code> & FieldsOf<Code>
  : never

interface ProblemInit {
  status?: number | undefined
  message?: string | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
  [field: string]: unknown
}

class ProblemError extends Error {
  override readonly name = 'Problem'
  constructor(code: ProblemCode, { message, cause, ...fields }: ProblemInit = {}) {
    super(
      typeof message === 'string' ? message : code.replaceAll('_', ' '),
      cause === undefined ? undefined : { cause },
    )
    const all = { status: 0, requestId: undefined, retryAfter: undefined, ...fields, code }
    // What every error has is not for a refusal to replace: `stack`, and by `__proto__` the class itself.
    Object.assign(this, Object.fromEntries(Object.entries(all).filter(([name]) => !(name in this))))
  }
}

export const Problem = ProblemError as unknown as {
  new <Code extends ProblemCode>(code: Code, init?: ProblemInit): Problem<Code>
  readonly prototype: Problem
}

/** The problem in the answer, or `unexpected_response` where the answer is not one of the service. */
export function problemFrom(body: unknown, { status, headers }: Response): Problem {
  const seen = { status, requestId: headers.get('x-request-id') ?? undefined, retryAfter: secondsIn(headers) }
  if (typeof (body as Partial<Schemas['Problem']> | undefined)?.code !== 'string')
    return new Problem('unexpected_response', seen)
  const { code, statusCode: _, error: __, ...fields } = body as Schemas['Problem']
  return new Problem(code, { ...fields, ...seen })
}

/** What every answer of the service is, but for files. */
export const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') ?? false

/** Seconds in `Retry-After`; its other form, a date, depends on clocks and is not used. */
export function secondsIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

export function isProblem(error: unknown, ...codes: ProblemCode[]): boolean {
  return error instanceof Problem && codes.includes(error.code)
}
