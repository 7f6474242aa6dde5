import fc from 'fast-check'
import {
  hostileAuthorizations,
  hostileBodies,
  hostileHeaders,
  hostileIds,
  hostileKeys,
  hostilePathParts,
  hostileTexts,
  hostileValues,
} from './hostile-inputs.ts'

/** One deviation from a valid request. */
export type Mutation =
  | { kind: 'caller'; nth: number }
  | { kind: 'authorization'; header: string; times: number }
  | { kind: 'company'; how: (typeof companies)[number]; nth: number }
  | { kind: 'id'; at: number; how: 'foreign' | 'never' | 'upper case' | 'malformed'; nth: number }
  | { kind: 'address'; at: number; text: string }
  | { kind: 'query'; at: number; text: string; how: 'replaced' | 'twice' | 'as a list' | 'as an object' }
  | { kind: 'value'; at: number; value: unknown }
  | { kind: 'missing'; at: number }
  | { kind: 'key'; at: number; key: string; value: unknown }
  | { kind: 'body'; text: string | Buffer }
  | { kind: 'header'; name: string; value: string }
  | { kind: 'method'; method: string }
  | { kind: 'path'; how: (typeof paths)[number] }

const companies = ['another', 'never', 'missing', 'twice', 'two different', 'malformed', 'upper case', 'empty'] as const
const paths = ['slash at the end', 'slash twice', 'upper case', 'encoded character', 'dot', 'fragment'] as const

const at = fc.nat({ max: 999 })
const value = fc.oneof(fc.constantFrom(...hostileTexts), fc.constantFrom(...hostileValues))

const mutations: [weight: number, fc.Arbitrary<Mutation>][] = [
  [8, fc.record({ kind: fc.constant('caller'), nth: at })],
  [
    3,
    fc.record({
      kind: fc.constant('authorization'),
      header: fc.constantFrom(...hostileAuthorizations),
      times: fc.integer({ min: 0, max: 2 }),
    }),
  ],
  [5, fc.record({ kind: fc.constant('company'), how: fc.constantFrom(...companies), nth: at })],
  [
    8,
    fc.record({
      kind: fc.constant('id'),
      at,
      how: fc.constantFrom('foreign', 'foreign', 'never', 'upper case', 'malformed'),
      nth: at,
    }),
  ],
  [3, fc.record({ kind: fc.constant('address'), at, text: fc.constantFrom(...hostilePathParts) })],
  [
    5,
    fc.record({
      kind: fc.constant('query'),
      at,
      text: fc.constantFrom(...hostileTexts.filter((text) => text.length < 6000)),
      how: fc.constantFrom('replaced', 'replaced', 'twice', 'as a list', 'as an object'),
    }),
  ],
  [9, fc.record({ kind: fc.constant('value'), at, value })],
  [3, fc.record({ kind: fc.constant('missing'), at })],
  [3, fc.record({ kind: fc.constant('key'), at, key: fc.constantFrom(...hostileKeys), value })],
  [3, fc.record({ kind: fc.constant('body'), text: fc.constantFrom(...hostileBodies) })],
  [6, fc.constantFrom(...hostileHeaders).map(([name, text]) => ({ kind: 'header', name, value: text }))],
  [
    1,
    fc.record({
      kind: fc.constant('method'),
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    }),
  ],
  [1, fc.record({ kind: fc.constant('path'), how: fc.constantFrom(...paths) })],
]

/** Half of all requests have none: only a valid request reaches the business rules. */
export const someMutations: fc.Arbitrary<Mutation[]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Mutation[]>([]) },
  {
    weight: 5,
    arbitrary: fc.array(fc.oneof(...mutations.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
      minLength: 1,
      maxLength: 3,
      size: 'max',
    }),
  },
)

/** Misspells an id, or replaces it by another. */
export function mutateId(id: string, mutation: Mutation & { kind: 'id' }, foreign: string, never: string): string {
  if (mutation.how === 'foreign') return foreign
  if (mutation.how === 'never') return never
  if (mutation.how === 'upper case') return id.toUpperCase()
  return (hostileIds[mutation.nth % hostileIds.length] as string).replace('%s', id)
}
