import { z } from 'zod'
import type { Components, Json } from './components.ts'

/** A zod schema as JSON Schema 2020-12; schemas with an id are written once, as components. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  return components.once(schema, io, () => convert(schema, io, components))
}

function convert(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const generated = z.toJSONSchema(schema, { target: 'draft-2020-12', io, override: forReading(io) })
  const text = JSON.stringify(generated).replaceAll('"#/$defs/', '"#/components/schemas/')
  const written = JSON.parse(text, (_key, part) => inWords(part, io))
  const { $schema: _, $defs = {}, ...rest } = written as Json & { $defs?: Record<string, Json> }
  for (const [name, definition] of Object.entries($defs)) components.refer('schemas', name, withoutId(definition))
  return typeof rest.id === 'string' ? components.refer('schemas', rest.id, withoutId(rest)) : rest
}

const withoutId = ({ id: _, ...schema }: Json) => schema

const TOLD_BY_FORMAT = ['uuid', 'date-time']

/**
 * Without what helps no reader: patterns that a format tells, bounds that are JavaScript's own, null as a branch, what a response of an
 * earlier release is filled up with.
 */
const forReading =
  (io: 'input' | 'output') =>
  ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    if (io === 'output') delete jsonSchema.default
    if (TOLD_BY_FORMAT.includes(jsonSchema.format ?? '') || jsonSchema.type === 'integer') delete jsonSchema.pattern
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    const [one, other, ...more] = jsonSchema.anyOf ?? []
    if (!one || more.length > 0 || other?.type !== 'null' || typeof one.type !== 'string' || one.enum) return
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, { ...one, ...jsonSchema }, { type: [one.type, 'null'] })
  }

/**
 * The description of a schema, and what no keyword says: its `rules`, which patterns of all languages could not tell, and
 * that an answer may have values one day which its `enum` does not list.
 */
function inWords(part: unknown, io: 'input' | 'output'): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  const { rules, ...schema } = part as Json
  if (typeof rules === 'object') return part // A property of this name.
  const isOpen = io === 'output' && Array.isArray(schema.enum)
  const words = [schema.description, rules, isOpen && 'Values may be added.'].filter((text) => typeof text === 'string')
  return words.length === 0 ? schema : { ...schema, description: words.join(' ') }
}
