import type { Components, Json } from './components.ts'
import { ids, samples } from './field-examples.ts'

/** A realistic value of a schema: its own example when it has one, otherwise one by the names of its fields. */
export function exampleOf(schema: Json, components: Components, direction: 'request' | 'answer'): unknown {
  return exampleAt(schema, { components, direction, owner: '', key: '' })
}

interface Place {
  components: Components
  direction: 'request' | 'answer'
  /** The component that the value belongs to, and its key there. */
  owner: string
  key: string
}

function exampleAt(schema: Json, place: Place): unknown {
  const { $ref, examples, const: constant, enum: choices, anyOf, type } = schema
  if (typeof $ref === 'string') {
    const owner = $ref.split('/').at(-1) as string
    return exampleAt(place.components.find($ref), { ...place, owner })
  }
  const given = firstOf(examples) ?? constant ?? firstOf(choices)
  if (given !== undefined) return given
  const sample = sampleFor(place)
  if (sample !== undefined) return sample
  if (anyOf) return exampleAt(firstOf(anyOf) as Json, place)
  return makers[firstOf(type) as string]?.(schema, place)
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

const sampleFor = ({ owner, key }: Place): unknown => samples[`${owner}.${key}`] ?? samples[key]

const makers: Record<string, (schema: Json, place: Place) => unknown> = {
  object: ({ properties = {}, required = [], additionalProperties }, place) => {
    const values = Object.entries(properties as Record<string, Json>)
      .filter(([key, property]) => (required as string[]).includes(key) || !hindersTrying(key, property, place))
      .map(([key, property]): [string, unknown] => [key, exampleAt(property, { ...place, key })])
    const isRecord = typeof additionalProperties === 'object'
    return Object.fromEntries(
      isRecord
        ? [[ids.company, exampleAt(additionalProperties as Json, { ...place, key: singular(place.key) })]]
        : values,
    )
  },
  array: ({ items }, place) => [exampleAt(items as Json, { ...place, key: singular(place.key) })],
  string: ({ format }, place) => {
    if (format === 'date-time') return '2026-11-20T20:37:11.123Z'
    return format === 'uuid' ? idFor(place) : 'text'
  },
  integer: ({ minimum = 1 }) => minimum,
  boolean: () => true,
}

const singular = (key: string) => key.replace(/s$/, '')

/** Ids name what must be there, slugs what must not, and cookies need a page: without them a request can be tried as it is. */
function hindersTrying(key: string, property: Json, { direction }: Place): boolean {
  return (
    direction === 'request' &&
    (['slug', 'sessionIn'].includes(key) || JSON.stringify(property).includes('"format":"uuid"'))
  )
}

function idFor({ owner, key }: Place): string {
  const named = key === 'id' ? owner.toLowerCase() : key.replace(/Id$/, '')
  return ids[named] ?? (ids.account as string)
}
