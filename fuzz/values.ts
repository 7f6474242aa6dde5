import fc from 'fast-check'
import { PASSWORD } from '../test/support/people.ts'
import type { ApiDocument, Schema } from './document.ts'
import { credentialFor } from './passkeys.ts'

/** Stands for a resource that is chosen when the request is sent, so that a plan does not depend on random ids. */
export class Placeholder {
  readonly noun: string
  readonly nth: number
  constructor(noun: string, nth: number) {
    this.noun = noun
    this.nth = nth
  }
}

/** In a planned header: the entity tag that the resource has when the request is sent. */
export const CURRENT_ETAG = '"current"'

/** JSON with placeholders in it. */
export type Planned = string | number | boolean | null | Placeholder | Planned[] | { [key: string]: Planned }

const DEPTH_MAX = 4
const nth = fc.nat({ max: 999 })
export const placeholder = (noun: string): fc.Arbitrary<Planned> => nth.map((number) => new Placeholder(noun, number))

/** Values that a schema allows; `noun` is the kind of an `id` within it. */
export function valueIn(
  document: ApiDocument,
  given: Schema,
  name: string,
  noun: string,
  depth = 0,
): fc.Arbitrary<Planned> {
  const schema = document.resolve(given)
  if (name === 'credential') return placeholder(credentialFor(noun))
  if (name === 'token' && noun === 'join') return placeholder('joinToken')
  const inner = (part: Schema, key = name) => valueIn(document, part, key, noun, depth + 1)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches && schema.properties)
    return fc.oneof(...branches.map((branch) => inner(choiceOf(schema, branches, branch))))
  if (branches) return fc.oneof(...branches.map((branch, index) => weighted(inner(branch), index === 0 ? 4 : 1)))
  if (schema.allOf) return inner(Object.assign({}, ...schema.allOf.map((part) => document.resolve(part))))
  if (schema.const !== undefined) return fc.constant(schema.const as Planned)
  if (schema.enum) return fc.constantFrom(...(schema.enum as Planned[]))
  const type = [schema.type].flat()[0]
  if (type === 'object') return depth > DEPTH_MAX ? fc.constant({}) : objectOf(schema, inner)
  if (type === 'array') return listOf(schema, inner)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer' || type === 'number') return numberOf(schema)
  // Of an authenticator app; branches have codes as well.
  if (schema.pattern === '^[0-9]{6}$') return placeholder('code')
  return byName(name, noun) ?? textOf(schema, name)
}

/** An object of which one of several properties is required, without the others. */
function choiceOf({ anyOf: _, oneOf: __, ...schema }: Schema, branches: Schema[], chosen: Schema): Schema {
  const others = branches.filter((branch) => branch !== chosen).flatMap(({ required = [] }) => required)
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !others.includes(name))
  const required = [...(schema.required ?? []), ...(chosen.required ?? [])]
  return { ...schema, properties: Object.fromEntries(properties), required }
}

const weighted = <Value>(arbitrary: fc.Arbitrary<Value>, weight: number) => ({ arbitrary, weight })

function objectOf(schema: Schema, inner: (part: Schema, key: string) => fc.Arbitrary<Planned>): fc.Arbitrary<Planned> {
  const { properties = {}, required = [] } = schema
  const fields = Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, inner(part, key)]))
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
}

function listOf(schema: Schema, inner: (part: Schema) => fc.Arbitrary<Planned>): fc.Arbitrary<Planned> {
  const { items = {}, minItems = 0, maxItems = 3 } = schema
  const maxLength = Math.max(minItems, Math.min(maxItems, 3))
  return fc.array(inner(items), { minLength: minItems, maxLength, size: 'max' })
}

/** Mostly small numbers, for example of pages that exist. */
function numberOf({ minimum = 0, maximum = 1000, type }: Schema): fc.Arbitrary<number> {
  const near = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 3) })
  const far = fc.constantFrom(minimum, maximum)
  const between = type === 'number' ? fc.double({ min: minimum, max: maximum, noNaN: true }) : near
  return fc.oneof(weighted(near, 5), weighted(far, 1), weighted(between, 1))
}

const newEmail = nth.map((number) => `new-${number}@example.com`)
const moments = ['2020-01-01T00:00:00Z', '2026-06-01T12:00:00.000Z', '2100-01-01T00:00:00Z']

/** Values that make a request valid, by field name, where the schema is not enough. */
const vocabulary: Record<string, () => fc.Arbitrary<Planned>> = {
  email: () => fc.oneof(newEmail, placeholder('email')),
  password: () => fc.oneof(weighted(placeholder('password'), 9), weighted(fc.constant('Wrong-horse-7'), 1)),
  currentPassword: () => fc.oneof(weighted(placeholder('password'), 9), weighted(fc.constant('Wrong-horse-7'), 1)),
  newPassword: () => fc.constantFrom('Another-horse-8', 'Third-horse-99', PASSWORD),
  refreshToken: () => placeholder('refreshToken'),
  token: () => placeholder('token'),
  challenge: () => placeholder('challenge'),
  recoveryCode: () => placeholder('recoveryCode'),
  cursor: () => placeholder('cursor'),
  slug: () => nth.map((number) => `slug-${number}`),
  avatar_url: () => fc.constantFrom('https://example.com/a.png', ''),
  timezone: () => fc.constantFrom('Europe/Lisbon', 'America/Sao_Paulo', 'UTC', ''),
  locale: () => fc.constantFrom('en', 'pt-BR', 'es', ''),
  roleNames: () => fc.oneof(placeholder('roleName'), fc.constantFrom('Member', 'manager', 'ADMIN', 'Owner')),
  q: () => fc.oneof(placeholder('fragment'), placeholder('email'), fc.constantFrom('an', 'jose', '%%', 'Person')),
  search: () => fc.oneof(placeholder('fragment'), fc.constantFrom('an', 'é', '%', '_', 'Person')),
  from: () => fc.constantFrom(...moments),
  to: () => fc.constantFrom(...moments),
  reassignTo: () => placeholder('role'),
  'Idempotency-Key': () => nth.map((number) => `key-${number}`),
  'If-Match': () => fc.constantFrom(CURRENT_ETAG, CURRENT_ETAG, CURRENT_ETAG, CURRENT_ETAG, '"outdated"'),
  'If-None-Match': () => fc.constantFrom(CURRENT_ETAG, '"outdated"', '"outdated"'),
}

function byName(name: string, noun: string): fc.Arbitrary<Planned> | undefined {
  if (Object.hasOwn(vocabulary, name)) return vocabulary[name]?.()
  if (name === 'id' || name === 'ids') return placeholder(noun)
  const [, thing] = /^(\w+?)Ids?$/.exec(name) ?? []
  if (thing === 'parent') return placeholder(noun)
  return thing ? placeholder(thing) : undefined
}

const words = ['Ann', 'José Peña', '株式会社', "O'Neil & Søn", 'Zoë', 'x', 'Ünïted 9', '<b>bold</b>']

function textOf(schema: Schema, name: string): fc.Arbitrary<Planned> {
  const { format, pattern, minLength = 0, maxLength = 400, examples = [] } = schema
  if (format === 'uuid') return placeholder(name)
  if (format === 'date-time') return fc.constantFrom(...moments)
  if (format === 'email') return newEmail
  // A negated set also allows characters that no person would write.
  if (pattern && !pattern.includes('[^')) return fc.stringMatching(new RegExp(pattern), { size: 'small' })
  // A character may count as up to four units, so a quarter of the maximum is always allowed.
  const fitted = words.map((word) =>
    [...word]
      .slice(0, Math.max(1, maxLength / 4))
      .join('')
      .padEnd(minLength, 'x'),
  )
  const numbered = fc.tuple(fc.constantFrom(...fitted), nth).map(([word, number]) => `${word} ${number}`)
  const texts = maxLength >= 60 ? fc.oneof(fc.constantFrom(...fitted), numbered) : fc.constantFrom(...fitted)
  const known = examples.filter((example) => typeof example === 'string')
  return known.length > 0 ? fc.oneof(texts, fc.constantFrom(...known)) : texts
}
