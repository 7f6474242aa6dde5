import { useSyncExternalStore } from 'react'

/** From here on there is room beside the tree; branches.module.css says the same. */
const wide = matchMedia('(min-width: 64rem)')

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)
