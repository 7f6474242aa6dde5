import fc from 'fast-check'
import type { ApiDocument, Operation } from './document.ts'
import { type Mutation, someMutations } from './mutations.ts'
import { type Planned, valueIn } from './values.ts'

/** A request before its placeholders are resolved: its valid values, and its mutations. */
export interface Plan {
  operation: Operation
  /** The index among the callers who may do this, or a caller's name. */
  caller: number | string
  params: Record<string, Planned>
  query: Record<string, Planned>
  headers: Record<string, Planned>
  body: Planned | undefined
  mutations: Mutation[]
  /** It is sent a second time if it has an Idempotency-Key. */
  again: boolean
}

/** Requests that are sent in parallel: different ones, or each of them several times. */
export interface Step {
  plans: Plan[]
  times: number
}

const STEPS_MAX = 25
const AT_ONCE_MAX = 8

export function batchesOf(document: ApiDocument): fc.Arbitrary<Step[]> {
  const plan = fc.oneof(...document.operations.map((operation) => planOf(document, operation)))
  const one = fc.record({ plans: fc.array(plan, { minLength: 1, maxLength: 1 }), times: fc.constant(1) })
  const different = fc.record({
    plans: fc.array(plan, { minLength: 2, maxLength: AT_ONCE_MAX, size: 'max' }),
    times: fc.constant(1),
  })
  const same = fc.record({
    plans: fc.array(plan, { minLength: 1, maxLength: 2, size: 'max' }),
    times: fc.integer({ min: 2, max: AT_ONCE_MAX / 2 }),
  })
  const step = fc.oneof(
    { weight: 8, arbitrary: one },
    { weight: 1, arbitrary: different },
    { weight: 2, arbitrary: same },
  )
  return fc.array(step, { minLength: 8, maxLength: STEPS_MAX, size: 'max' })
}

export function planOf(document: ApiDocument, operation: Operation, mutations = someMutations): fc.Arbitrary<Plan> {
  const noun = nounIn(operation.path)
  const parametersIn = (where: string) => {
    const found = operation.parameters.filter((parameter) => parameter.in === where)
    const values = found.map(({ name, schema }) => {
      const before = operation.path.split(`/{${name}}`)[0] as string
      return [name, valueIn(document, schema, name, where === 'path' ? nounIn(before) : noun)] as const
    })
    const required = found.filter((parameter) => parameter.required || where === 'path').map(({ name }) => name)
    return fc.record(Object.fromEntries(values), { requiredKeys: required, noNullPrototype: true })
  }
  return fc.record({
    operation: fc.constant(operation),
    caller: fc.nat({ max: 999 }),
    params: parametersIn('path'),
    query: parametersIn('query'),
    headers: parametersIn('header'),
    body: operation.body ? valueIn(document, operation.body, 'body', noun) : fc.constant(undefined),
    mutations,
    again: fc.constantFrom(true, false, false),
  })
}

/** `/api/companies/roles/{roleId}` → `roles`: the noun of an `id` in its body. */
function nounIn(path: string): string {
  return (
    path
      .split('/')
      .filter((part) => part !== '' && !part.startsWith('{'))
      .at(-1) ?? ''
  )
}
