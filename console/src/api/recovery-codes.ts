import { useSyncExternalStore } from 'react'

let shown: readonly string[] | undefined
const listeners = new Set<() => void>()

function show(codes: readonly string[] | undefined): void {
  shown = codes
  for (const listener of listeners) listener()
}

/** Above any page, and whatever becomes of the page: they are given once. Without codes it does nothing. */
export const showRecoveryCodes = (codes: readonly string[] | undefined): void => {
  if (codes) show(codes)
}
export const closeRecoveryCodes = (): void => show(undefined)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useShownRecoveryCodes = () => useSyncExternalStore(subscribe, () => shown)
