import fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import { problem } from '../problems.ts'
import { sentenceFor } from './validation-messages.ts'

/** What Fastify asks for: the validator of one part of a route's requests. */
export const validatorCompiler = ({ schema, method, httpPart }: ValidatorOptions) =>
  validator(schema as z.ZodType, { maySkipEmpty: method === 'GET' && httpPart === 'querystring' })

interface ValidatorOptions {
  schema: unknown
  method: string
  httpPart?: string
}

/** Parses one part of a request; what is wrong is told once for each field. */
function validator(
  schema: z.ZodType,
  { maySkipEmpty = false } = {},
): (value: unknown) => { value: unknown } | { error: Error } {
  return (value) => {
    const given = maySkipEmpty ? withoutEmpty(value as Query) : value
    const result = schema.safeParse(given, { error: sentenceFor })
    if (result.success) return { value: result.data }
    return { error: problem('validation_failed', { details: detailsOf(result.error.issues) }) }
  }
}

const DETAILS_MAX = 20

/** The first thing that is wrong with each field. */
function detailsOf(issues: z.core.$ZodIssue[]): { path: string; message: string }[] {
  const first = new Map<string, string>()
  for (const { path, message } of issues) {
    const field = path.join('.')
    if (!first.has(field)) first.set(field, message)
  }
  return [...first].slice(0, DETAILS_MAX).map(([path, message]) => ({ path, message }))
}

type Query = Record<string, string | string[]>

/**
 * An empty parameter of a read, such as a form sends for a field that is left blank, counts as left out. A write is told
 * what to do: an empty `dryRun` must not make it real.
 */
function withoutEmpty(query: Query): Query {
  const given = Object.entries(query).flatMap(([name, value]) => {
    const [first, ...more] = [value].flat().filter((each) => each !== '')
    return first === undefined ? [] : [[name, more.length > 0 ? [first, ...more] : first] as const]
  })
  return Object.fromEntries(given)
}

/**
 * Writes answers with code compiled from their schema: twice as fast as parsing them with zod, and what is not declared
 * does not get out. `strict` parses them as well, for tests: compiled code mends quietly what has the wrong type.
 */
export function serializer(schema: z.ZodType, strict: boolean): (answer: unknown) => string {
  const write = fastJsonStringify(
    z.toJSONSchema(schema, { target: 'draft-07', io: 'output', override: forWriting }) as object,
  )
  if (!strict) return write
  return (answer) => {
    schema.parse(answer)
    return write(answer)
  }
}

const IGNORED_IN_WRITING = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'description',
]

/**
 * The writer checks the branches of an `anyOf` and throws when none fits, so a nullable object becomes one schema with
 * `nullable`; undeclared keys it leaves out by itself.
 */
function forWriting({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  for (const keyword of IGNORED_IN_WRITING) delete jsonSchema[keyword]
  if (jsonSchema.format && jsonSchema.format !== 'date-time') delete jsonSchema.format
  const [other, ...more] = jsonSchema.anyOf?.filter((branch) => branch.type !== 'null') ?? []
  if (other && more.length === 0 && jsonSchema.anyOf?.length === 2 && !other.$ref) {
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, other, { nullable: true })
  }
}
