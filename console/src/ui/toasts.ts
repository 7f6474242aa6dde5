import { useSyncExternalStore } from 'react'

export interface Toast {
  id: number
  text: string
}

const SHOWN_MS = 6000
const SHOWN_MAX = 2

let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Confirms what was done. What people must not miss, or have to act on, is an `Alert` on the page instead. */
export function toast(text: string): void {
  const id = ++last
  change([...toasts, { id, text }].slice(-SHOWN_MAX))
  setTimeout(() => dismiss(id), SHOWN_MS)
}

export const dismiss = (id: number): void => change(toasts.filter((each) => each.id !== id))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useToasts = () => useSyncExternalStore(subscribe, () => toasts)
