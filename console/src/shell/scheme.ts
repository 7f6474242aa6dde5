import { useSyncExternalStore } from 'react'

const KEY = 'tenantry.scheme'
export const schemes = ['system', 'light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

let chosen = schemes.find((each) => each === localStorage.getItem(KEY)) ?? 'system'
const listeners = new Set<() => void>()

function choose(scheme: Scheme): void {
  chosen = scheme
  if (scheme === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.scheme
  } else {
    localStorage.setItem(KEY, scheme)
    document.documentElement.dataset.scheme = scheme
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Light or dark: that of the device until someone chooses; public/scheme.js applies it before anything is drawn. */
export const useScheme = (): [Scheme, (scheme: Scheme) => void] => [
  useSyncExternalStore(subscribe, () => chosen),
  choose,
]
