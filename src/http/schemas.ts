import fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import { problem } from '../problems.ts'

/** Parses one part of a request; whatever is wrong is told field by field. */
export function validator(schema: z.ZodType): (value: unknown) => { value: unknown } | { error: Error } {
  return (value) => {
    const result = schema.safeParse(value)
    if (result.success) return { value: result.data }
    const issues = result.error.issues.slice(0, DETAILS_MAX)
    const details = issues.map((issue) => ({ path: issue.path.join('.'), message: saidShortly(issue) }))
    return { error: problem('validation_failed', { details }) }
  }
}

const DETAILS_MAX = 20

function saidShortly(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.message.endsWith('received undefined')) return 'is required'
  return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
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
