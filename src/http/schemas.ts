import fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import { JsonText } from '../lib/json-text.ts'
import { problem } from '../problems.ts'
import { validationMessage } from './validation-messages.ts'

/** Fastify's option: compiles the validator of one part of a route's requests. */
export const validatorCompiler = ({ schema, method, httpPart }: ValidatorOptions) =>
  validator(schema as z.ZodType, { ignoreEmpty: method === 'GET' && httpPart === 'querystring' })

interface ValidatorOptions {
  schema: unknown
  method: string
  httpPart?: string
}

/** Parses one part of a request, and reports one error for each field. */
function validator(
  schema: z.ZodType,
  { ignoreEmpty = false } = {},
): (value: unknown) => { value: unknown } | { error: Error } {
  return (value) => {
    const input = ignoreEmpty ? withoutEmpty(value as Query) : value
    const result = schema.safeParse(input, { error: validationMessage })
    if (result.success) return { value: result.data }
    return { error: problem('validation_failed', { details: detailsOf(result.error.issues) }) }
  }
}

const DETAILS_MAX = 20

/** The first error of each field. */
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
 * In a read an empty parameter, as a form sends it for a blank field, counts as missing. In a write it stays an error,
 * because an empty `dryRun` must not change anything.
 */
function withoutEmpty(query: Query): Query {
  const filled = Object.entries(query).flatMap(([name, value]) => {
    const [first, ...more] = [value].flat().filter((each) => each !== '')
    return first === undefined ? [] : [[name, more.length > 0 ? [first, ...more] : first] as const]
  })
  return Object.fromEntries(filled)
}

/**
 * Serializes responses with code compiled from their schema: twice as fast as parsing them with zod, and undeclared keys
 * are left out. Data that the database has written is sent as it is. `validate`, in tests, also parses every response,
 * because compiled code silently converts values of a wrong type, and compares written data with what it would write.
 */
export function serializer(schema: z.ZodType, { validate }: { validate: boolean }): Serialize {
  const serialize = compiledAtFirstUse(() => compileSerializer(schema))
  if (!validate) return (body) => writtenText(body) ?? serialize(body)
  return (body) => {
    const written = writtenText(body)
    const value = written === undefined ? body : JSON.parse(written)
    schema.parse(value)
    const text = serialize(value)
    if (written !== undefined && written !== text) throw new Error(`The database wrote ${written} instead of ${text}`)
    return text
  }
}

/** The text of a body whose data the database has written; undefined for any other. */
function writtenText(body: unknown): string | undefined {
  if (!((body as { data?: unknown }).data instanceof JsonText)) return undefined
  const fields = Object.entries(body as object).map(
    ([name, value]) => `"${name}":${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
  )
  return `{${fields.join(',')}}`
}

type Serialize = (body: unknown) => string

/** Most processes never use most routes: compiling all of them would take a tenth of a second at every start. */
function compiledAtFirstUse(compile: () => Serialize): Serialize {
  let compiled: Serialize | undefined
  return (body) => {
    compiled ??= compile()
    return compiled(body)
  }
}

/**
 * A stored response as this version sends it: the last release may have stored it, without the fields that came later. No other
 * response is filled up.
 */
export const withAddedFields = (schema: z.ZodType, stored: unknown): unknown => schema.safeParse(stored).data ?? stored

const compileSerializer = (schema: z.ZodType): Serialize =>
  fastJsonStringify(
    z.toJSONSchema(schema, { target: 'draft-07', io: 'output', override: adaptForSerializer }) as object,
  )

const UNUSED_BY_SERIALIZER = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'description',
  // See withAddedFields.
  'default',
]

/**
 * The serializer checks the branches of an `anyOf` and throws when none matches, so a nullable object becomes one schema
 * with `nullable`. It leaves out undeclared keys without `additionalProperties`.
 */
function adaptForSerializer({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  for (const keyword of UNUSED_BY_SERIALIZER) delete jsonSchema[keyword]
  if (jsonSchema.format && jsonSchema.format !== 'date-time') delete jsonSchema.format
  const [other, ...more] = jsonSchema.anyOf?.filter((branch) => branch.type !== 'null') ?? []
  if (other && more.length === 0 && jsonSchema.anyOf?.length === 2 && !other.$ref) {
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, other, { nullable: true })
  }
}
