import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { ApiDocument, DocumentedAnswer, Operation } from './document.ts'
import { type HttpAnswer, isSendable } from './http-client.ts'
import type { Request } from './requests.ts'

/** What a judge has against an answer, in a sentence; `rule` names the promise that was broken. */
export interface Violation {
  rule: string
  about: string
}

export type AnswerChecks = (request: Request, answer: HttpAnswer) => Violation[]

/** Holds answers against the document: the status is listed, the headers are there, the body is as its schema says. */
export function createAnswerChecks(document: ApiDocument): AnswerChecks {
  const validatorOf = bodyValidators(document)
  return (request, answer) => {
    const general = [...serverErrors(answer), ...headerViolations(answer), ...internals(answer)]
    const { operation } = request
    if (isUnreadable(request) && [400, 431].includes(answer.status)) return general
    // An id left empty makes an address that may be read as one of another thing, or of nothing.
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

/** What no server has to make sense of. */
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
  return json && !isJson(text) ? [...violations, violation('body', `is no JSON: ${short(text)}`)] : violations
}

const INTERNALS = [
  /\bat .{0,80}\.(ts|js|mjs):\d+/,
  /node_modules/,
  /\$argon2/,
  /\b(select|insert into|update|delete from) .{0,80}\b(from|values|set|where)\b/i,
  /relation "|violates .{0,30}constraint|syntax error at|pg_catalog/,
]

/** Stacks, SQL, hashes: what an answer says of the inside. Only refusals: a person may be called anything. */
function internals({ status, text }: HttpAnswer): Violation[] {
  if (status < 400) return []
  return INTERNALS.filter((pattern) => pattern.test(text)).map((pattern) =>
    violation('internals', `${pattern} in ${short(text)}`),
  )
}

/** No operation is there: that is told in the published shape. */
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

/** Where a refusal's description names its codes, the code is one of them. */
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
  ajv.addSchema(closed(document.json) as object, 'document')
  const known = new Map<string, ValidateFunction>()
  return ({ id, answers }, status, media) => {
    const name = `${id} ${status} ${media}`
    const schema = JSON.stringify(closed(answers[status]?.content?.[media]?.schema ?? {}))
    const validate = known.get(name) ?? ajv.compile(JSON.parse(schema.replaceAll('"#/', '"document#/')))
    known.set(name, validate)
    return validate
  }
}

/** Every object with known keys, without any other; parts of an `allOf` know only some of them. */
function closed(part: unknown, isWhole = true): unknown {
  if (Array.isArray(part)) return part.map((inner) => closed(inner, isWhole))
  if (part === null || typeof part !== 'object') return part
  const entries = Object.entries(part).map(([key, inner]) => [key, closed(inner, key !== 'allOf')])
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  if (isWhole && copy.type === 'object' && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false
  return copy
}
