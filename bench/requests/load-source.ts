import type { Load } from '../drive/load.ts'

/** Called before each window: it makes the sessions that the requests use up. */
export type LoadSource = () => Promise<Load>

export function repeated<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[index % items.length] as Item)
}

export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
