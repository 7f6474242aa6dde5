import { useSyncExternalStore } from 'react'

/** What the service asks for before it does what was asked: proof that it is still the same person. */
interface Wanted {
  methods: readonly string[]
  answer: (isProved: boolean) => void
}

let wanted: Wanted | undefined
let asking: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function want(next: Wanted | undefined): void {
  wanted = next
  for (const listener of listeners) listener()
}

/** Opens the one dialog for it, whoever asks: the client, for any call that is refused, or a page. False: none was given. */
export function askForProof(methods: readonly string[]): Promise<boolean> {
  asking ??= new Promise<boolean>((answer) => want({ methods, answer })).finally(() => {
    asking = undefined
    want(undefined)
  })
  return asking
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useWantedStepUp = () => useSyncExternalStore(subscribe, () => wanted)
