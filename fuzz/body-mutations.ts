import type { Mutation } from './mutations.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Applies a mutation to one position of a body. */
export function changeBody(body: Json | undefined, mutation: Mutation): Json | undefined {
  if (mutation.kind === 'value')
    return body === undefined ? undefined : replaceAt(body, mutation.at, () => [mutation.value as Json])
  if (mutation.kind === 'missing') return body === undefined ? undefined : replaceAt(body, mutation.at, () => [])
  if (mutation.kind === 'key') return withKey(body ?? {}, mutation)
  return body
}

/** The number of positions within a value: each key of an object, each item of a list. */
function countPositions(value: Json): number {
  if (value === null || typeof value !== 'object') return 0
  return Object.values(value).reduce<number>((count, inner) => count + 1 + countPositions(inner), 0)
}

/** Replaces one position, counted through the whole value; an empty replacement removes it. A scalar is one position. */
function replaceAt(value: Json, at: number, replacement: () => Json[]): Json {
  const positions = countPositions(value)
  if (positions === 0) return replacement()[0] ?? value
  let left = at % positions
  const visit = (part: Json): Json => {
    if (part === null || typeof part !== 'object') return part
    const step = (inner: Json): Json[] => (left-- === 0 ? replacement() : [visit(inner)])
    if (Array.isArray(part)) return part.flatMap(step)
    return Object.fromEntries(Object.entries(part).flatMap(([key, inner]) => step(inner).map((one) => [key, one])))
  }
  return visit(value)
}

/** `fromEntries` makes an own property also of `__proto__`, as JSON.parse does. */
function withKey(body: Json, { key, value }: Mutation & { kind: 'key' }): Json {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries([...Object.entries(body), [key, value as Json]])
}
