import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { ApiDocument, DocumentedAnswer, Operation } from './document.ts'
import { type HttpAnswer, isSendable } from './http-client.ts'
import type { Request } from './requests.ts'
import { faultsOfCookie } from './session-cookies.ts'

/** A broken rule and what broke it. */
export interface Violation {
  rule: string
  about: string
}

export type AnswerChecks = (request: Request, answer: HttpAnswer) => Violation[]

/** Checks answers against the document: status, headers and body are as declared. */
export function createAnswerChecks(document: ApiDocument): AnswerChecks {
  const validatorOf = bodyValidators(document)
  return (request, answer) => {
    const always = [...serverErrors(answer), ...headerViolations(answer), ...internals(answer)]
    const cookies = faultsOfCookie(request, answer).map((fault) => violation('session cookie', fault))
    const general = [...always, ...cookies]
    const { operation } = request
    if (isUnreadable(request) && [400, 431].includes(answer.status)) return general
    // An empty id makes a path that may match another operation or none.
    if (!operation || (/\/(\/|[?#]|$)/.test(request.path) && answer.status === 404))
      return [...general, ...unknownOperation(request, answer)]
    const documented = operation.answers[answer.status]
    if (!documented)
      return [...general, violation('status', `${answer.status} is not documented: ${short(answer.text)}`)]
    return [...general, ...bodyViolations(operation, documented, answer, validatorOf)]
  }
}

const violation = (rule: string, about: string): Violation => ({ rule, about })
const short = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

const HEADER_BYTES_MAX = 15_000

/** Whether a server may refuse the request before it is parsed. */
function isUnreadable(request: Request): boolean {
  const bytes = request.path.length + request.headers.flat().join('').length
  return !isSendable(request) || bytes > HEADER_BYTES_MAX
}

function serverErrors({ status, text }: HttpAnswer): Violation[] {
  return status >= 500 ? [violation('no server error', `${status}: ${short(text)}`)] : []
}

const ALWAYS = ['x-request-id', 'cache-control', 'x-content-type-options', 'content-security-policy']

function headerViolations({ status, headers, text }: HttpAnswer): Violation[] {
  const needed = [...ALWAYS]
  if (text !== '') needed.push('content-type')
  if (status === 401) needed.push('www-authenticate')
  if (status === 429 || status === 503) needed.push('retry-after')
  const violations = needed
    .filter((name) => !headers.has(name))
    .map((name) => violation('headers', `${status} without ${name}`))
  const json = headers.get('content-type')?.[0]?.startsWith('application/json')
  return json && !isJson(text) ? [...violations, violation('body', `is not JSON: ${short(text)}`)] : violations
}

const INTERNALS = [
  /\bat .{0,80}\.(ts|js|mjs):\d+/,
  /node_modules/,
  /\$argon2/,
  /\b(select|insert into|update|delete from) .{0,80}\b(from|values|set|where)\b/i,
  /relation "|violates .{0,30}constraint|syntax error at|pg_catalog/,
]

/** Stack traces, SQL and hashes in a refusal. In a success they may be a person's name. */
function internals({ status, text }: HttpAnswer): Violation[] {
  if (status < 400) return []
  return INTERNALS.filter((pattern) => pattern.test(text)).map((pattern) =>
    violation('internals', `${pattern} in ${short(text)}`),
  )
}

/** A path without an operation is refused in the documented shape. */
function unknownOperation({ method }: Request, { status, text }: HttpAnswer): Violation[] {
  if (method === 'OPTIONS' && status === 204) return []
  const code = isJson(text) ? JSON.parse(text)?.code : undefined
  if ((status === 404 && code === 'route_not_found') || (status === 400 && code === 'malformed_request')) return []
  return [violation('status', `${status} where there is no operation: ${short(text)}`)]
}

type ValidatorOf = (operation: Operation, status: number, media: string) => ValidateFunction

function bodyViolations(
  operation: Operation,
  documented: DocumentedAnswer,
  answer: HttpAnswer,
  validatorOf: ValidatorOf,
): Violation[] {
  const { status, text, headers } = answer
  const missing = Object.entries(documented.headers ?? {})
    .filter(([name, { required }]) => required && !headers.has(name.toLowerCase()))
    .map(([name]) => violation('headers', `${status} without ${name}, which is documented as required`))
  if (!documented.content) {
    return text === '' ? missing : [...missing, violation('body', `${status} has a body, which is not documented`)]
  }
  const media = (headers.get('content-type')?.[0] ?? '').split(';')[0]?.trim() ?? ''
  if (!documented.content[media])
    return [...missing, violation('body', `${status} is ${media}, which is not documented`)]
  if (media !== 'application/json' || !isJson(text)) return missing
  const body = JSON.parse(text)
  const validate = validatorOf(operation, status, media)
  const wrong = validate(body) ? [] : [violation('body', `${status}: ${described(validate.errors)}: ${short(text)}`)]
  return [...missing, ...wrong, ...codeViolations(documented, status, body)]
}

/** The code of a refusal is one of those that the description names. */
function codeViolations(
  { description = '' }: DocumentedAnswer,
  status: number,
  body: { code?: string; statusCode?: number },
): Violation[] {
  if (status < 400) return []
  const violations =
    body.statusCode === status ? [] : [violation('body', `statusCode ${body.statusCode} in an answer ${status}`)]
  const named = [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code)
  if (named.length === 0 || named.includes(body.code)) return violations
  return [...violations, violation('code', `${status} ${body.code} is not documented, only ${named.join(', ')}`)]
}

const described = (errors: ErrorObject[] | null | undefined) =>
  (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function bodyValidators(document: ApiDocument): ValidatorOf {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(withoutExtraKeys(document.json) as object, 'document')
  const known = new Map<string, ValidateFunction>()
  return ({ id, answers }, status, media) => {
    const name = `${id} ${status} ${media}`
    const schema = JSON.stringify(withoutExtraKeys(answers[status]?.content?.[media]?.schema ?? {}))
    const validate = known.get(name) ?? ajv.compile(JSON.parse(schema.replaceAll('"#/', '"document#/')))
    known.set(name, validate)
    return validate
  }
}

/** Forbids undeclared keys in every object schema, except in the parts of an `allOf`, which declare some keys each. */
function withoutExtraKeys(part: unknown, isWhole = true): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutExtraKeys(inner, isWhole))
  if (part === null || typeof part !== 'object') return part
  const entries = Object.entries(part).map(([key, inner]) => [key, withoutExtraKeys(inner, key !== 'allOf')])
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  if (isWhole && copy.type === 'object' && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false
  return copy
}
