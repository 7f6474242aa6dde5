import { useSyncExternalStore } from 'react'
import { isProblem } from './problems.ts'

/** What the service asks for before it does what was asked: proof that it is still the same person. */
interface Wanted {
  methods: readonly string[]
  answer: (isProved: boolean) => void
}

let wanted: Wanted | undefined
const listeners = new Set<() => void>()

function want(next: Wanted | undefined): void {
  wanted = next
  for (const listener of listeners) listener()
}

const ask = (methods: readonly string[]): Promise<boolean> =>
  new Promise((resolve) =>
    want({
      methods,
      answer(isProved) {
        want(undefined)
        resolve(isProved)
      },
    }),
  )

/** Repeats what was refused for want of a fresh proof, once it is there. Whoever gives none gets the refusal. */
export async function withStepUp<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!isProblem(error) || error.code !== 'reauthentication_required') throw error
    if (!(await ask(error.methods))) throw error
    return call()
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useWantedStepUp = () => useSyncExternalStore(subscribe, () => wanted)
