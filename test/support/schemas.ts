import { z } from 'zod'

/** The parts of a zod schema definition. */
interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  catchall?: z.ZodType
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
  valueType?: z.ZodType
  values?: unknown[]
  entries?: Record<string, string>
  items?: z.ZodType[]
}

const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition

/** All schemas within a schema including itself, with their paths; a recursive one once. */
export function* partsOf(
  schema: z.ZodType,
  path = '',
  around: readonly z.ZodType[] = [],
): Generator<{ path: string; type: string; schema: z.ZodType }> {
  if (around.includes(schema)) return
  const within = [...around, schema]
  const {
    type,
    shape = {},
    catchall,
    element,
    innerType,
    in: input,
    out,
    options = [],
    valueType,
    items = [],
  } = definitionOf(schema)
  yield { path, type: catchall ? `open ${type}` : type, schema }
  for (const [key, property] of Object.entries(shape)) yield* partsOf(property, `${path}.${key}`, within)
  for (const part of [innerType, input, out, ...options, ...items]) if (part) yield* partsOf(part, path, within)
  for (const part of [element, valueType]) if (part) yield* partsOf(part, `${path}[]`, within)
}

export interface Wishes {
  /** Use null where it is allowed. */
  nulls?: boolean
  /** Omit optional fields. */
  bare?: boolean
  /** Add an undeclared key to every object. */
  undeclared?: boolean
  /** The enclosing schemas: a recursive list ends at the second level. */
  around?: readonly z.ZodType[]
}

/** A value that the schema allows. */
export function sampleOf(schema: z.ZodType, given: Wishes = {}): unknown {
  const wishes = { ...given, around: [...(given.around ?? []), schema] }
  const definition = definitionOf(schema)
  const make = samples[definition.type]
  if (!make) throw new Error(`No sample of ${definition.type}: teach test/support/schemas.ts to make one`)
  return make(definition, wishes, schema)
}

const first = <Item>(items: Iterable<Item> = []): Item => [...items][0] as Item

const samples: Record<string, (definition: Definition, wishes: Wishes, schema: z.ZodType) => unknown> = {
  string: (_definition, _wishes, schema) => {
    const { format } = z.toJSONSchema(schema)
    if (format === 'uuid') return '0190a7b2-0000-7000-8000-000000000000'
    return format === 'date-time' ? '2026-11-20T20:37:11.123Z' : 'Zoë "\u2028</script>'
  },
  number: () => 7,
  boolean: () => true,
  null: () => null,
  literal: ({ values }) => first(values),
  enum: ({ entries }) => first(Object.values(entries ?? {})),
  array: ({ element }, wishes) => {
    const item = element as z.ZodType
    const isDeep = (wishes.around ?? []).filter((schema) => schema === item).length > 1
    return isDeep ? [] : [sampleOf(item, wishes), sampleOf(item, wishes)]
  },
  record: ({ valueType }, wishes) => ({ key: sampleOf(valueType as z.ZodType, wishes) }),
  nullable: ({ innerType }, wishes) => (wishes.nulls ? null : sampleOf(innerType as z.ZodType, wishes)),
  default: ({ innerType }, wishes) => sampleOf(innerType as z.ZodType, wishes),
  optional: ({ innerType }, wishes) => (wishes.bare ? undefined : sampleOf(innerType as z.ZodType, wishes)),
  union: ({ options }, wishes) => sampleOf(first(options), wishes),
  object: ({ shape = {} }, wishes) => {
    const entries = Object.entries(shape).map(([key, property]) => [key, sampleOf(property, wishes)] as const)
    const present = entries.filter(([, value]) => value !== undefined)
    return Object.fromEntries([...present, ...(wishes.undeclared ? [['undeclared', 'leak'] as const] : [])])
  },
}
