import { isDeepStrictEqual } from 'node:util'
import { type ProblemCode, type ProblemContext, problem, sentenceOf, statusOf } from '../../problems.ts'
import { ProblemBody } from '../envelope.ts'
import { problemBody, statusText } from '../errors.ts'
import { isRateLimited } from '../limits/limits.ts'
import type { Operation } from '../route-definition.ts'
import type { Components, Json } from './components.ts'
import { exampleOf } from './examples.ts'
import { describeHeaders } from './headers.ts'
import { refusalsOf } from './refusals.ts'
import { schemaOf } from './schemas.ts'

/** Every status that an operation can answer, with the codes that it can carry there. */
export function describeAnswers(operation: Operation, components: Components): Json {
  const { status = 200 } = operation.declaration.response
  const refusals = [...refusalsOf(operation)].map(([status, codes]) => [
    status,
    describeRefusal(operation, status, codes, components),
  ])
  const isConditional = operation.method === 'GET' && operation.declaration.version?.etag
  return {
    [status]: describeSuccess(operation, status, components),
    ...(isConditional && { 304: describeUnchanged(operation, components) }),
    ...Object.fromEntries(refusals),
  }
}

function describeSuccess(operation: Operation, status: number, components: Components): Json {
  const { responseSchema, declaration } = operation
  if (declaration.response.mediaTypes) return describeDownload(operation, status, components)
  const schema = schemaOf(responseSchema, 'output', components)
  const { message, ...example } = exampleOf(schema, components, 'answer') as { data: unknown; message?: unknown }
  const { message: text } = declaration.response
  const said = typeof text === 'function' ? text(example.data) : text
  return {
    description: statusText(status),
    headers: describeHeaders(operation, status, components),
    content: { 'application/json': { schema, example: { ...example, ...(said && { message: said }) } } },
  }
}

/** Text that is streamed. */
function describeDownload(operation: Operation, status: number, components: Components): Json {
  const { mediaTypes = {} } = operation.declaration.response
  const text = schemaOf(operation.responseSchema, 'output', components)
  const content = Object.entries(mediaTypes).map(([type, { description, line, example }]) => {
    const contentSchema = line && schemaOf(line, 'output', components)
    const schema = { ...text, description, contentMediaType: type, ...(contentSchema && { contentSchema }) }
    return [type, { schema, example }]
  })
  return {
    description: statusText(status),
    headers: describeHeaders(operation, status, components),
    content: Object.fromEntries(content),
  }
}

const describeUnchanged = (operation: Operation, components: Components): Json => ({
  description: 'Not modified since the version in `If-None-Match`.',
  headers: describeHeaders(operation, 304, components),
})

function describeRefusal(operation: Operation, status: number, codes: ProblemCode[], components: Components): Json {
  const body = schemaOf(ProblemBody, 'output', components)
  const narrowed = {
    type: 'object',
    required: ['statusCode', 'code'],
    properties: { statusCode: { type: 'integer', const: status }, code: { type: 'string', enum: codes } },
  }
  const response = {
    description: codes.map((code) => `\`${code}\`: ${inMarkdown(sentenceOf(code))}`).join('\n\n'),
    headers: describeHeaders(operation, status, components),
    content: {
      'application/json': { schema: { allOf: [body, narrowed] }, examples: examplesOf(status, codes, components) },
    },
  }
  const name = isRateLimited(operation.url) ? nameOfCommon(operation, status, codes) : undefined
  return name === undefined ? response : components.refer('responses', name, response)
}

const inMarkdown = (sentence: string) => sentence.replaceAll('<', '\\<')

/** What can happen to any request is written once. */
const common: Record<number, ProblemCode[]> = {
  401: ['token_missing', 'token_invalid'],
  408: ['malformed_request'],
  413: ['body_too_large'],
  415: ['body_not_json'],
  429: ['rate_limited'],
  431: ['malformed_request'],
  500: ['internal_error'],
  503: ['overloaded', 'database_unavailable'],
}

function nameOfCommon({ declaration }: Operation, status: number, codes: ProblemCode[]): string | undefined {
  if (!isDeepStrictEqual(common[status], codes)) return undefined
  const name = statusText(status).replaceAll(' ', '')
  // In a company the headers tell more, once access has been asked.
  return typeof declaration.access === 'object' && [413, 415, 429, 500, 503].includes(status)
    ? `${name}InCompany`
    : name
}

function examplesOf(status: number, codes: ProblemCode[], components: Components): Json {
  return Object.fromEntries(
    codes.map((code) => {
      const body = { ...problemBody(problem(code, contexts[code])), statusCode: status, error: statusText(status) }
      const name = statusOf(code) === status ? code : `${code}_${status}`
      return [code, components.refer('examples', name, { summary: code, value: body })]
    }),
  )
}

const contexts: Partial<Record<ProblemCode, ProblemContext>> = {
  validation_failed: { details: [{ path: 'email', message: 'must be a valid email address' }] },
  permission_missing: { required: 'users:read' },
  second_factor_required_by_company: { methods: ['totp', 'recovery_code'] },
  second_factor_required: {
    challenge: {
      token: 'AZnQwHoRfD6dUj8eW3qcAQ-q7Jx0b5mYkTn2vR8sLhE2cM4nPq6rSu',
      methods: ['totp', 'recovery_code'],
      expires_at: '2026-11-20T20:42:11.123Z',
    },
  },
  policy_locks_you_out: { closedBy: 'network_not_allowed' },
  reauthentication_required: { methods: ['totp', 'recovery_code'] },
}
